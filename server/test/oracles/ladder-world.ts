import { api } from '@portico/contract/api'
import { isOpenAccess, type Route } from '@portico/contract/route'
import type { Caller, CallerRight } from '#platform/http/context.ts'
import { selectAccess, selectIdentityAccess } from '../../src/modules/access/evaluator/access.queries.ts'
import { toAccess } from '../../src/modules/access/evaluator/access.service.ts'
import { toCaller } from '../../src/modules/access/evaluator/caller.ts'
import type { AccessRow } from '../../src/modules/access/evaluator/access-sql.ts'
import { holderText } from '#access'
import { actingHolder } from '#credentials'
import { matches } from './naive-filter.ts'
import {
  contacts,
  contactTypes,
  drawLimits,
  type DrawnPolicy,
  drawPolicy,
  drawRule,
  moments,
  type Random,
  requests,
} from './random-ladder.ts'
import type { TestPortal } from '#test/kit/portal.ts'

// A small installation that is filled for each sequence of calls, and everything that its people and programs can do.

export type World = { accounts: number[]; persons: { id: string; email: string }[] }

/** Everything that a caller can do, each as text. */
export type Abilities = ReadonlySet<string>

const rights: CallerRight[] = [
  ...new Map(
    Object.values<Route>(api).flatMap(({ access, action }) =>
      isOpenAccess(access) || access === 'person' || access === 'self'
        ? []
        : [[`${access} ${action}`, { access, action }]],
    ),
  ).values(),
] as CallerRight[]

/** Some of the calls whose replies depend on the contacts that the caller may see. */
const readingContacts: ReadonlySet<string> = new Set([
  api.listOffers.access,
  api.deleteOffers.access,
  api.getDashboard.access,
  api.createExport.access,
])

const builtIn = '00000000-0000-4000-8000-00000000000%'

/** Removes everything that an earlier sequence created, except for people and accounts. */
export async function clear({ parts: { database } }: TestPortal): Promise<void> {
  for (const statement of [
    'DELETE FROM portico.impersonations',
    'DELETE FROM portico.identities',
    'DELETE FROM portico.group_policies',
    `DELETE FROM portico.groups WHERE id::text NOT LIKE '${builtIn}'`,
    `DELETE FROM portico.policies WHERE id::text NOT LIKE '${builtIn}'`,
    `UPDATE portico.accounts SET suspended_at = NULL, time_zone = 'UTC'`,
    'DELETE FROM portico.audit_log',
  ]) {
    await database.pool.query(statement)
  }
  await database.pool.query(
    `UPDATE portico.policies SET actions = '{*::*::*}', conditions = '{}' WHERE id::text LIKE '${builtIn}'`,
  )
  await database.pool.query(
    `INSERT INTO portico.group_policies (group_id, policy_id) VALUES
       ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000001'),
       ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000002')`,
  )
}

let lastNumber = 0
export const nextName = (kind: string): string => `${kind} number ${++lastNumber}`

async function addGroup(
  { parts: { database } }: TestPortal,
  { isAdmin, policies }: { isAdmin: boolean; policies: DrawnPolicy[] },
): Promise<string> {
  const group = crypto.randomUUID()
  await database.pool.query('INSERT INTO portico.groups (id, name, is_admin) VALUES ($1, $2, $3)', [
    group,
    nextName('Group'),
    isAdmin,
  ])
  for (const { actions, conditions, conditionLogic } of policies) {
    const id = crypto.randomUUID()
    await database.pool.query(
      `INSERT INTO portico.policies (id, name, is_admin, actions, conditions, condition_logic) VALUES ($1, $2, $3, $4, $5, $6)`,
      [id, nextName('Policy'), isAdmin, actions, conditions, conditionLogic],
    )
    await database.pool.query('INSERT INTO portico.group_policies (group_id, policy_id) VALUES ($1, $2)', [group, id])
  }
  return group
}

/** Adds an accepted identity of a person (or a service with a credential). */
async function addIdentity(
  { parts: { database } }: TestPortal,
  random: Random,
  of: { person: string | null; account: number | null; groups: string[]; reaches?: boolean },
): Promise<void> {
  const { days, daysEffect, hours, hoursEffect, cidr } = drawLimits(random)
  const rule = drawRule(random)
  const id = crypto.randomUUID()
  await database.pool.query(
    `INSERT INTO portico.identities (id, person_id, service_name, account_id, access_to_all_sub_accounts, days, days_effect,
       hours, hours_effect, cidr, accepted_at, is_disabled, row_rule) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now(), $11, $12)`,
    [
      id,
      of.person,
      of.person === null ? nextName('Service') : null,
      of.account,
      of.reaches ?? false,
      days,
      daysEffect,
      hours,
      hoursEffect,
      cidr,
      of.person !== null && random.isOneIn(8),
      rule && JSON.stringify(rule),
    ],
  )
  for (const group of of.groups) {
    await database.pool.query('INSERT INTO portico.identity_groups (identity_id, group_id) VALUES ($1, $2)', [
      id,
      group,
    ])
  }
}

const powerUsers = '00000000-0000-4000-8000-000000000002'

/** Gives the people random rights: administrators with few, power users with limits, members, a service. */
export async function fill(portal: TestPortal, random: Random, { accounts, persons }: World): Promise<void> {
  const admin = await addGroup(portal, { isAdmin: true, policies: [drawPolicy(random), drawPolicy(random)] })
  const other = await addGroup(portal, { isAdmin: true, policies: [drawPolicy(random)] })
  const members = await addGroup(portal, { isAdmin: false, policies: [drawPolicy(random)] })
  const [first, second, third, fourth, keeper] = persons.map(({ id }) => id)
  const [parent = 0, sub = 0, elsewhere = 0] = accounts
  await addIdentity(portal, random, { person: first ?? '', account: null, groups: [admin] })
  await addIdentity(portal, random, { person: second ?? '', account: null, groups: [other] })
  await addIdentity(portal, random, {
    person: third ?? '',
    account: random.one([parent, parent, sub]),
    groups: [powerUsers],
    reaches: random.isOneIn(3),
  })
  await addIdentity(portal, random, { person: fourth ?? '', account: random.one(accounts), groups: [members] })
  if (random.isOneIn(2)) {
    await addIdentity(portal, random, {
      person: first ?? '',
      account: elsewhere,
      groups: [random.one([members, powerUsers])],
    })
  }
  await addIdentity(portal, random, { person: null, account: parent, groups: [random.one([members, powerUsers])] })
  // At least one person must hold all rights; they make no calls.
  await portal.parts.database.pool.query(
    `WITH added AS (INSERT INTO portico.identities (id, person_id, accepted_at) VALUES (gen_random_uuid(), $1, now()) RETURNING id)
     INSERT INTO portico.identity_groups (identity_id, group_id)
     SELECT id, '00000000-0000-4000-8000-000000000001'::uuid FROM added`,
    [keeper],
  )
  if (random.isOneIn(4)) {
    await portal.parts.database.pool.query('UPDATE portico.accounts SET suspended_at = now() WHERE id = $1', [
      random.one(accounts),
    ])
  }
}

function abilitiesOf(callers: { caller: Caller; account: number; moment: string }[]): Abilities {
  const found = new Set<string>()
  for (const { caller, account, moment } of callers) {
    for (const right of rights) {
      requests.forEach((request, index) => {
        if (caller.refusal(right, request) !== null) return
        const ability = `${right.action ?? right.access} on request ${index} in account ${account}, ${moment}`
        found.add(ability)
        if (!readingContacts.has(right.access)) return
        const rows = caller.rows(right, request)
        for (const contact of contacts) {
          const isSeen = rows?.every((stage) => matches(contact, stage['$match'], contactTypes)) ?? true
          if (isSeen) found.add(`${ability}, with contact ${contact.id}`)
        }
        // Power admins can do the same for global items.
        if (right.action !== undefined && caller.isPowerAdmin) found.add(`${ability}, as a power admin`)
      })
    }
  }
  return found
}

/** Returns a caller at each of the moments at which they may use the account. */
function callersAt(row: AccessRow, account: number, kind: 'session' | 'credential') {
  return moments().flatMap(({ name, at, address }) => {
    const access = toAccess(row, { at, address })
    if (!access.mayEnter) return []
    return [
      {
        caller: toCaller(access, { kind, sessionId: '', holder: { kind: 'session', person: access.personId } }),
        account,
        moment: name,
      },
    ]
  })
}

/** Returns the abilities of everyone with a password, an active API credential or an impersonation link, by id. */
export async function abilities({ parts: { database } }: TestPortal, world: World): Promise<Map<string, Abilities>> {
  const { pool } = database
  const found = new Map<string, Abilities>()
  const { rows: persons } = await pool.query<{ id: string }>(
    'SELECT DISTINCT person_id AS id FROM portico.identities WHERE person_id IS NOT NULL',
  )
  const { rows: programs } = await pool.query<{ id: string }>(
    'SELECT DISTINCT identity_id AS id FROM portico.api_credentials WHERE is_active',
  )
  for (const { id } of persons) {
    const callers = []
    for (const account of world.accounts) {
      const row = await selectAccess(pool, account, id)
      // Also each identity alone: a power admin is not a power user, although one of their identities makes them one.
      const alone = row && row.identities.length > 1 ? row.identities.map((one) => ({ ...row, identities: [one] })) : []
      for (const each of row ? [row, ...alone] : []) callers.push(...callersAt(each, account, 'session'))
    }
    found.set(id, abilitiesOf(callers))
  }
  for (const { id } of programs) {
    const callers = []
    for (const account of world.accounts) {
      const row = await selectIdentityAccess(pool, account, id)
      if (row) callers.push(...callersAt(row, account, 'credential'))
    }
    found.set(id, abilitiesOf(callers))
  }
  const { rows: links } = await pool.query<{ id: string; account: number }>(
    'SELECT id, account_id AS account FROM portico.impersonations WHERE revoked_at IS NULL',
  )
  for (const { id, account } of links) {
    const link = await actingHolder(pool, account, holderText({ kind: 'impersonation', link: id }))
    // The days, hours and addresses of links are those of their creators.
    if ('caller' in link) found.set(id, abilitiesOf([{ caller: link.caller, account, moment: 'here and now' }]))
  }
  return found
}
