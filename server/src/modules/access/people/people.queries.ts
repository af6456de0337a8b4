import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import type { PeopleOrder, PeopleQuery, PersonState } from '@portico/contract/people'
import { type RawBuilder, sql } from 'kysely'
import { accountsAs } from '#accounts'
import { emailOrder, hasPassword, lacksTwoFactor, personsAs } from '#persons'
import type { Db } from '#platform/database.ts'
import { isUuid } from '#platform/ids.ts'
import { type IdentityRow, identityRows } from '../identities/identities.queries.ts'
import { isAccepted } from '../identities/identity-sql.ts'
import { isEverywhere, isReached, type Reach } from './reach.ts'

/** A person, with figures of their identities within reach. */
export type PersonRow = {
  id: string
  email: string
  userName: string | null
  /** Accounts with an identity; a global one does not count. */
  accounts: number
  isGlobal: boolean
  lastSignInAt: Date | null
  /** Null while a power user may not know. */
  hasTwoFactor: boolean | null
  state: PersonState
}

const orders = {
  email: sql`email_order`,
  userName: sql`lower("userName")`,
  accounts: sql`accounts`,
  lastSignInAt: sql`"lastSignInAt"`,
  state: sql`state`,
} as const satisfies Record<PeopleOrder, RawBuilder<unknown>>

/** Figures of the identities within reach, of each person or of one. */
function reached(reach: Reach, person: string | null): RawBuilder<unknown> {
  const ofPerson = person === null ? sql`i.person_id IS NOT NULL` : sql`i.person_id = ${person}`
  return sql`
    SELECT i.person_id, count(i.account_id)::integer AS accounts, bool_or(i.account_id IS NULL) AS is_global,
      count(*) AS identities, count(*) FILTER (WHERE i.is_disabled) AS disabled,
      bool_or(${sql.raw(isAccepted('i'))}) AS is_accepted, max(i.last_entered_at) AS last_entered_at,
      max(i.user_name) AS user_name
    FROM portico.identities i WHERE ${ofPerson} AND ${isReached('i.account_id', reach)} GROUP BY i.person_id`
}

/**
 * A power user may know these parts once the person has accepted an identity of theirs (ADR 0063): the name
 * of their own choice, two-factor, and whether they have a password.
 */
function people(reach: Reach, person: string | null): RawBuilder<unknown> {
  const isKnown = isEverywhere(reach) ? sql`true` : sql`r.is_accepted`
  const lastSignIn = isEverywhere(reach) ? sql`greatest(p.last_sign_in_at, r.last_entered_at)` : sql`r.last_entered_at`
  return sql`
    SELECT p.id, p.email, p.email_key, ${sql.raw(emailOrder('p'))} AS email_order,
      CASE WHEN ${isKnown} THEN coalesce(p.user_name, r.user_name) ELSE r.user_name END AS "userName",
      r.accounts, r.is_global AS "isGlobal", ${lastSignIn} AS "lastSignInAt",
      CASE WHEN ${isKnown} THEN NOT ${sql.raw(lacksTwoFactor('p'))} END AS "hasTwoFactor",
      CASE WHEN r.disabled = r.identities THEN 'disabled'
        WHEN NOT (r.is_accepted AND ${sql.raw(hasPassword('p'))}) THEN 'invited'
        WHEN r.disabled > 0 THEN 'partly-disabled' ELSE 'active' END AS state
    FROM (${reached(reach, person)}) r JOIN ${sql.raw(personsAs('p'))} ON p.id = r.person_id`
}

/** Conditions on a row of `people`. */
export type PeopleFilter = Omit<PeopleQuery, 'sort' | 'order' | 'limit' | 'skip'>

const isIn = (part: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`position(lower(${part}) IN lower(${sql.raw(text)})) > 0`

function matches(reach: Reach, filter: PeopleFilter): RawBuilder<boolean> {
  const { search, state, signIn, twoFactor, account, group, domain } = filter
  const has = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`people.id IN (
    SELECT i.person_id FROM portico.identities i WHERE ${isReached('i.account_id', reach)} AND ${condition})`
  const inGroup = sql`i.id IN (SELECT ig.identity_id FROM portico.identity_groups ig WHERE ig.group_id = ${group})`
  const conditions = [
    ...(search === '' ? [] : [sql`(${isIn(search, 'people.email')} OR ${isIn(search, 'people."userName"')})`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(signIn === undefined ? [] : [sql`"lastSignInAt" IS NULL`]),
    ...(twoFactor === undefined ? [] : [sql`"hasTwoFactor" = false`]),
    ...(account === undefined ? [] : [has(sql`i.account_id = ${account}`)]),
    ...(group === undefined ? [] : [isUuid(group) ? has(inGroup) : sql`false`]),
    ...(domain === undefined ? [] : [sql`split_part(email_key, '@', 2) = ${domain}`]),
  ]
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` AND `)}`
}

/** The persons with an identity within reach: a page of those that match, and the number of all that do. */
export async function selectPeople(
  db: Db,
  reach: Reach,
  filter: PeopleFilter,
  { sort, order, limit, skip }: Pick<PeopleQuery, 'sort' | 'order' | 'limit' | 'skip'>,
): Promise<{ rows: PersonRow[]; count: number }> {
  const direction = order === 'desc' ? sql`DESC NULLS LAST` : sql`ASC NULLS LAST`
  const { rows } = await sql<{ count: number; rows: PersonRow[] }>`
    WITH people AS MATERIALIZED (${people(reach, null)}),
      matching AS MATERIALIZED (SELECT * FROM people WHERE ${matches(reach, filter)}),
      page AS (
        SELECT id, email, "userName", accounts, "isGlobal", "lastSignInAt", "hasTwoFactor", state,
          row_number() OVER (ORDER BY ${orders[sort]} ${direction}, email_order, id) AS place
        FROM matching ORDER BY place LIMIT ${limit} OFFSET ${skip})
    SELECT (SELECT count(*)::integer FROM matching) AS count,
      (SELECT coalesce(json_agg(page ORDER BY place), '[]') FROM page) AS rows`.execute(db)
  const [found] = rows
  return { count: found?.count ?? 0, rows: (found?.rows ?? []).map(withDates) }
}

/** JSON has dates as texts. */
const withDates = (row: PersonRow): PersonRow => ({
  ...row,
  lastSignInAt: row.lastSignInAt && new Date(row.lastSignInAt),
})

/** Null without an identity within reach. */
export async function selectPersonWithin(db: Db, reach: Reach, id: string): Promise<PersonRow | null> {
  if (!isUuid(id)) return null
  const { rows } = await sql<PersonRow>`SELECT * FROM (${people(reach, id)}) person`.execute(db)
  return rows[0] ?? null
}

/** The identities of a person within reach, the global one first, then by account. */
export async function selectIdentitiesOfPerson(db: Db, reach: Reach, personId: string): Promise<IdentityRow[]> {
  const { rows } = await identityRows(sql`i.person_id = ${personId} AND ${isReached('i.account_id', reach)}`).execute(
    db,
  )
  return rows
}

/** The accounts within reach, by name. */
export async function selectAccountsWithin(db: Db, reach: Reach): Promise<AccountEntry[]> {
  const { rows } = await sql<{ id: AccountId; name: string; parent: AccountId | null }>`
    SELECT a.id, a.name, a.parent_id AS parent FROM ${sql.raw(accountsAs('a'))}
    WHERE ${isReached('a.id', reach)} ORDER BY a.name_key, a.id`.execute(db)
  return rows.map(({ id, name, parent }) => ({ Key: id, Value: name, ...(parent !== null && { parent }) }))
}

/** The number of accounts that would be within reach with a second factor. */
export async function countClosedAccounts(db: Db, { family, closed }: Reach): Promise<number> {
  if (closed.length === 0) return 0
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM ${sql.raw(accountsAs('a'))}
    WHERE a.id = ANY (${closed}::integer[]) AND ${isReached('a.id', { family, closed: [] })}`.execute(db)
  return rows[0]?.count ?? 0
}

/** The groups that an identity within reach belongs to, by name, with the account they are of. */
export async function selectGroupsWithin(
  db: Db,
  reach: Reach,
): Promise<{ id: string; name: string; account: string | null }[]> {
  const { rows } = await sql<{ id: string; name: string; account: string | null }>`
    SELECT g.id, g.name, a.name AS account
    FROM portico.groups g LEFT JOIN ${sql.raw(accountsAs('a'))} ON a.id = g.account_id
    WHERE g.id IN (
      SELECT ig.group_id FROM portico.identity_groups ig JOIN portico.identities i ON i.id = ig.identity_id
      WHERE i.person_id IS NOT NULL AND ${isReached('i.account_id', reach)})
    ORDER BY g.name_key, a.name_key NULLS FIRST, g.id`.execute(db)
  return rows
}

/** The domains of the emails of persons within reach, the most frequent ones. */
export async function selectDomainsWithin(db: Db, reach: Reach, most: number): Promise<string[]> {
  const { rows } = await sql<{ domain: string }>`
    SELECT split_part(p.email_key, '@', 2) AS domain
    FROM (${reached(reach, null)}) r JOIN ${sql.raw(personsAs('p'))} ON p.id = r.person_id
    WHERE p.email_key IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${most}`.execute(db)
  return rows.map(({ domain }) => domain)
}
