import { afterAll, beforeAll, expect, test } from 'vitest'
import { abilities, clear, fill, nextName, type World } from '#test/oracles/ladder-world.ts'
import { addContacts } from '#test/resources/contacts.ts'
import {
  contactTypes,
  type DrawnPolicy,
  drawLimits,
  drawPolicy,
  drawRule,
  type Random,
  randomFrom,
} from '#test/oracles/random-ladder.ts'
import { type Answer, type Client, startPortal, type TestPortal } from '#test/kit/portal.ts'

// No privilege ladder: after any sequence of actions by administrators with random rights, no caller can do anything
// that neither they nor those administrators could do before (ADR 0088).

const sequences = 80

let portal: TestPortal
let world: World

beforeAll(async () => {
  portal = await startPortal()
  const parent = await portal.account()
  const accounts = [parent, await portal.account(undefined, parent), await portal.account()]
  // The rules need the fields.
  for (const account of accounts) await addContacts(portal.parts.database, account, contactTypes, [])
  const members = []
  for (let index = 0; index < 6; index += 1) members.push(await portal.member(parent))
  const { rows } = await portal.parts.database.pool.query<{ id: string; email: string }>(
    'SELECT id, email FROM portico.persons WHERE email = ANY ($1) ORDER BY email',
    [members.map(({ email }) => email)],
  )
  world = { accounts, persons: rows }
}, 60_000)
afterAll(() => portal.close())

const tokens = new Map<string, string>()

/** Returns a person's client in one of the accounts that they may enter; null if there is none. */
async function enter(email: string, random: Random): Promise<Client | null> {
  const first = random.below(world.accounts.length)
  for (const isAgain of [false, true]) {
    const token = (isAgain ? undefined : tokens.get(email)) ?? (await portal.signIn(email))
    tokens.set(email, token)
    for (const account of [...world.accounts.slice(first), ...world.accounts.slice(0, first)]) {
      const entered = await portal.holder(token).get(`/identity/v1/login/${account}`)
      if (entered.status === 200) return portal.holder(entered.json<{ token: string }>().token)
    }
  }
  return null
}

type KnownPolicy = DrawnPolicy & { id: string; isAdmin: boolean; name: string }
type KnownGroup = { id: string; isAdmin: boolean; name: string; policies: string[] }
type Known = { policies: KnownPolicy[]; groups: KnownGroup[]; identities: { id: string; name: string | null }[] }

async function known(): Promise<Known> {
  const { pool } = portal.parts.database
  const policies = `SELECT id, is_admin AS "isAdmin", name, actions, conditions, condition_logic AS "conditionLogic"
    FROM portico.policies ORDER BY name`
  const groups = `SELECT id, is_admin AS "isAdmin", name,
    ARRAY (SELECT policy_id::text FROM portico.group_policies WHERE group_id = id) AS policies FROM portico.groups ORDER BY name`
  return {
    policies: (await pool.query<KnownPolicy>(policies)).rows,
    groups: (await pool.query<KnownGroup>(groups)).rows,
    identities: (
      await pool.query<{ id: string; name: string | null }>(
        'SELECT id, service_name AS name FROM portico.identities ORDER BY created_at, id',
      )
    ).rows,
  }
}

/** Adds an action, removes a condition, or draws a different policy. */
function changed(policy: KnownPolicy, random: Random): DrawnPolicy {
  const drawn = drawPolicy(random)
  const { actions, conditions, conditionLogic } = policy
  if (random.isOneIn(2)) return { actions: [...new Set([...actions, ...drawn.actions])], conditions, conditionLogic }
  if (random.isOneIn(2)) return { actions, conditions: conditions.slice(1), conditionLogic }
  return drawn
}

const base = '/identity/v1'

/** Makes a random call that may give rights. */
async function call(client: Client, random: Random): Promise<Answer> {
  const all = await known()
  const isAdmin = random.isOneIn(2)
  const policies = all.policies.filter((one) => one.isAdmin === isAdmin)
  const groups = all.groups.filter((one) => one.isAdmin === isAdmin && one.name !== 'everyone')
  const idsOf = (some: { id: string }[]): string[] => random.some(some).map(({ id }) => id)
  const service = random.one(all.identities.filter((one) => one.name !== null))
  const identity = random.one(all.identities)
  const { email } = random.one(world.persons)
  const account = random.one(world.accounts)
  const draft = {
    groups: idsOf(groups),
    ...drawLimits(random),
    accessToAllSubAccounts: random.isOneIn(2),
    isDisabled: random.isOneIn(8),
    ...(random.isOneIn(3) ? {} : { rowRule: drawRule(random) }),
  }
  const calls = [
    () => client.post(`${base}/policies`, { name: nextName('Policy'), isAdmin, ...drawPolicy(random) }),
    () => {
      const policy = random.one(random.isOneIn(2) ? policies : all.policies)
      const { name } = policy
      return client.put(`${base}/policies/${policy.id}`, { name, isAdmin: policy.isAdmin, ...changed(policy, random) })
    },
    () => client.post(`${base}/groups`, { name: nextName('Group'), isAdmin, policies: idsOf(policies) }),
    () => {
      const { id, name, policies: held } = random.one(groups)
      const wanted = [...new Set([...(random.isOneIn(3) ? [] : held), ...idsOf(policies)])]
      return client.put(`${base}/groups/${id}`, { name, isAdmin, policies: wanted })
    },
    () => client.post(`${base}/identities`, { ...draft, email: random.one([email, newEmail()]) }),
    () => client.post(`${base}/identities`, { ...draft, serviceName: nextName('Service') }),
    () => client.put(`${base}/identities/${identity.id}`, { ...draft, email }),
    () => client.put(`${base}/identities/${service.id}`, { ...draft, serviceName: service.name }),
    () => client.put(`${base}/identities/${service.id}/addapi/0`),
    () => {
      const accessToAllSubAccounts = random.isOneIn(2)
      return client.post(`${base}/accounts/${account}/power-users`, { email, accessToAllSubAccounts })
    },
    () => client.put(`${base}/accounts/${account}`, random.one([{ isSuspended: false }, { timeZone: 'Asia/Tokyo' }])),
    () => client.get(`${base}/login/127.0.0.1/3600`),
    () => client.get(`${base}/login/127.0.0.1/3600/${encodeURIComponent(random.one(policies).name)}`),
  ]
  return random.one(calls)()
}

const newEmail = (): string => `${nextName('new').replaceAll(' ', '-')}@example.com`

/** Makes random calls until one succeeds. */
async function firstDone(
  client: Client,
  random: Random,
  told: string[],
): Promise<{ isDone: boolean; refused: number }> {
  let refused = 0
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const { status, body } = await call(client, random)
    const text = JSON.stringify(body)
    expect({ status, text }).not.toMatchObject({ status: 500 })
    if (text.includes('exceeds_rights')) refused += 1
    if (status >= 300) continue
    told.push(`${status} ${text.slice(0, 400)}`)
    return { isDone: true, refused }
  }
  return { isDone: false, refused }
}
const currentHalfHour = (): number => Math.floor(Date.now() / 1_800_000)

/** All people accept their invitations. */
const acceptAll = () =>
  portal.parts.database.pool.query('UPDATE portico.identities SET accepted_at = now() WHERE accepted_at IS NULL')

test(
  `${sequences} random sequences of calls give no identity more than their callers had`,
  { timeout: 300_000 },
  async () => {
    const seed = 20_261_123
    const seen = { done: 0, exceeding: 0, gained: 0 }
    for (let number = 0; number < sequences; number += 1) {
      const random = randomFrom(seed + number)
      await clear(portal)
      await fill(portal, random, world)
      const halfHour = currentHalfHour()
      const before = await abilities(portal, world)
      const actors = new Set<string>()
      const told: string[] = []
      for (let turn = 1 + random.below(4); turn > 0; turn -= 1) {
        const person = random.one(world.persons.slice(0, random.isOneIn(6) ? 4 : 3))
        const client = await enter(person.email, random)
        if (!client) continue
        const answer = await firstDone(client, random, told)
        seen.exceeding += answer.refused
        if (!answer.isDone) continue
        seen.done += 1
        actors.add(person.id)
        await acceptAll()
      }
      const held = new Set([...actors].flatMap((actor) => [...(before.get(actor) ?? [])]))
      const after = await abilities(portal, world)
      // The hours of a limit began or ended in between, in some time zone.
      if (currentHalfHour() !== halfHour) continue
      for (const [caller, now] of after) {
        const gained = [...now].filter((ability) => !before.get(caller)?.has(ability))
        seen.gained += gained.length > 0 ? 1 : 0
        expect(
          gained.filter((ability) => !held.has(ability)),
          `sequence ${number}: ${caller}\n${told.join('\n')}`,
        ).toEqual([])
      }
    }
    // Refusals alone would prove little.
    expect(seen.done).toBeGreaterThan(60)
    expect(seen.exceeding).toBeGreaterThan(60)
    expect(seen.gained).toBeGreaterThan(30)
  },
)
