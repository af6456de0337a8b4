import type { Readable } from 'node:stream'
import type { ViaKind } from '@portico/contract/audit'
import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { to as copyTo } from 'pg-copy-streams'
import { type Database, type Db, withConnection } from '#platform/database.ts'

/** Selects lines. Texts match anywhere, ignoring letter case. */
export type AuditFilter = {
  who: string | null
  /** Part of the action or of the subject. */
  what: string | null
  via: ViaKind | null
  /** At or after this moment. */
  from: Date | null
  /** Before this moment. */
  to: Date | null
}

export type AuditRow = {
  id: string
  at: Date
  actor: string
  action: string
  subject: string
  details: Record<string, unknown>
  address: string | null
  via: ViaKind | null
  viaName: string | null
  /** The number of occurrences within a minute. */
  count: number
  account: AccountId | null
}

/** Lines of an account, or (null) all lines, including those without an account; newest first. */
export async function selectAuditLog(
  db: Db,
  account: AccountId | null,
  filter: AuditFilter,
  { limit, skip }: { limit: number; skip: number },
): Promise<AuditRow[]> {
  const { rows } = await sql<AuditRow>`
    SELECT id, at, actor, action, subject, details, address, via, via_name AS "viaName", count, account_id AS account
    FROM portico.audit_log WHERE ${matches(account, filter)}
    ORDER BY at DESC, id DESC LIMIT ${limit} OFFSET ${skip}`.execute(db)
  return rows
}

export async function countAuditLog(db: Db, account: AccountId | null, filter: AuditFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM portico.audit_log WHERE ${matches(account, filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * The number of lines since `since` of an account, or (null) of events that concern all accounts, about a subject, or
 * (null) about any: lines with one of the `actions`, or a change of `changed.field`.
 */
export async function countAuditedSince(
  db: Db,
  account: AccountId | null,
  wanted: {
    subject: string | null
    actions: readonly string[]
    changed?: { action: string; field: string }
    since: Date
  },
): Promise<number> {
  const { subject, actions, changed, since } = wanted
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM portico.audit_log
    WHERE ${account === null ? sql`account_id IS NULL` : sql`account_id = ${account}`} AND at > ${since}
      AND ${subject === null ? sql`true` : sql`subject = ${subject}`} AND (action = ANY (${[...actions]}::text[])
        OR ${changed ? sql`(action = ${changed.action} AND details -> ${changed.field}::text IS NOT NULL)` : sql`false`})`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/**
 * Reads the matching lines, newest first, for `auditCsv`. Returns the number of lines, once `write` has consumed them.
 */
export async function copyAuditLog(
  database: Database,
  account: AccountId | null,
  filter: AuditFilter,
  write: (lines: Readable) => Promise<void>,
): Promise<number> {
  // No rollback: a connection that fails within COPY is closed.
  return withConnection(database, async ({ db, client }) => {
    await client.query('BEGIN')
    const matched = await insertMatchedLines(db, account, filter)
    await write(client.query(copyTo(copyStatement)))
    await client.query('COMMIT')
    return matched
  })
}

/**
 * Stores the ids of the matching lines for COPY in the same transaction: COPY takes no parameters, and the filter must
 * not become SQL text. Returns the number of lines.
 */
async function insertMatchedLines(db: Db, account: AccountId | null, filter: AuditFilter): Promise<number> {
  await sql`CREATE TEMPORARY TABLE matched_lines (id bigint PRIMARY KEY) ON COMMIT DROP`.execute(db)
  const { numAffectedRows } = await sql`
    INSERT INTO matched_lines SELECT id FROM portico.audit_log WHERE ${matches(account, filter)}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/**
 * Each line is a JSON list of the values named by `auditColumns`. Unicode line separators are escaped, as some readers
 * end lines there.
 */
const copyStatement = `
  COPY (
    SELECT regexp_replace(regexp_replace(json_build_array(
        to_char(l.at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), l.account_id, l.actor, l.action, l.subject, l.details::text,
        l.address, l.via, l.via_name, l.count
      )::text, '\\u2028', '\\\\u2028', 'g'), '\\u2029', '\\\\u2029', 'g')
    FROM portico.audit_log l JOIN matched_lines ON matched_lines.id = l.id ORDER BY l.at DESC, l.id DESC
  ) TO STDOUT`

function matches(account: AccountId | null, { who, what, via, from, to }: AuditFilter): RawBuilder<unknown> {
  const holds = (column: string, part: string) => sql`strpos(lower(${sql.ref(column)}), lower(${part})) > 0`
  const conditions = [
    ...(account === null ? [] : [sql`account_id = ${account}`]),
    ...(who === null ? [] : [holds('actor', who)]),
    ...(what === null ? [] : [sql`(${holds('action', what)} OR ${holds('subject', what)})`]),
    ...(via === null ? [] : [sql`via = ${via}`]),
    ...(from === null ? [] : [sql`at >= ${from}`]),
    ...(to === null ? [] : [sql`at < ${to}`]),
  ]
  return conditions.length > 0 ? sql.join(conditions, sql` AND `) : sql`TRUE`
}
