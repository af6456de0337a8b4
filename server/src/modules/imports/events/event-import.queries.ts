import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { insertEventFields, purlHolders, trimmedText } from '#contacts'
import { accountTable, type Db } from '#platform/database.ts'
import { eventIdPrefix } from './event-ids.ts'
import type { EventColumn, EventFieldName, EventPlan, KeyField } from './event-plan.ts'
import {
  addKey,
  createFilled,
  inRange,
  type RowRange,
  stagedRows,
  stagedValue,
  stageTable,
} from '../loading/stage.queries.ts'

/**
 * Matches every staged row to its contact: `contact_id` is the only contact with its key, `contacts` the number of
 * contacts with it. Each key is looked up once, even if many rows share it. Contacts that have exactly the same key
 * come first, found by an index if there is one; a key that no contact has exactly is compared as dedup does (ADR
 * 0110), which reads all contacts.
 */
export async function matchEvents(db: Db, account: AccountId, importId: number, plan: EventPlan): Promise<void> {
  const staged = stagedRows(account, importId, plan, [plan.key.position])
  const key = keyValue(plan)
  const { table, condition } = holdersOf(account, plan.key.field)
  const rows = sql`
    WITH wanted AS (
      SELECT DISTINCT ${key} AS key FROM ${staged}
    ), holders AS (
      SELECT w.key, min(c.id) AS contact_id, count(DISTINCT c.id)::int AS contacts
      FROM wanted AS w JOIN ${table} AS c ON ${condition} GROUP BY w.key
    )
    SELECT g0.row_no, CASE WHEN h.contacts = 1 THEN h.contact_id END AS contact_id, coalesce(h.contacts, 0) AS contacts
    FROM ${staged} LEFT JOIN holders AS h ON h.key = ${key}`
  const columns = { contact_id: 'bigint', contacts: 'integer' }
  await createFilled(db, account, importId, 'matched', { columns, rows, isImmutable: true })
  await addKey(db, account, importId, 'matched')
  const { field: keyField } = plan.key
  if (keyField.by === 'field' && keyField.type === 'string' && (await countUnmatched(db, account, importId)) > 0) {
    await matchAsDedup(db, account, importId, plan, accountTable(account, keyField.table), sql.id(keyField.column))
  }
  await sql`ANALYZE ${stageTable(account, importId, 'matched')}`.execute(db)
}

/** Matches the rows whose key no contact has exactly, ignoring letter case and white space around contacts' values. */
async function matchAsDedup(
  db: Db,
  account: AccountId,
  importId: number,
  plan: EventPlan,
  contacts: RawBuilder<unknown>,
  column: RawBuilder<unknown>,
): Promise<void> {
  const matched = stageTable(account, importId, 'matched')
  const staged = stagedRows(account, importId, plan, [plan.key.position])
  const key = asDedup(stagedValue(plan, plan.key.position))
  await sql`
    UPDATE ${matched} AS m SET contact_id = CASE WHEN h.contacts = 1 THEN h.contact_id END, contacts = h.contacts
    FROM ${staged} JOIN (
      SELECT w.key, min(c.id) AS contact_id, count(*)::int AS contacts
      FROM (
        SELECT DISTINCT ${key} AS key FROM ${staged} JOIN ${matched} AS n ON n.row_no = g0.row_no AND n.contacts = 0
      ) AS w JOIN ${contacts} AS c ON ${asDedup(sql`c.${column}`)} = w.key GROUP BY w.key
    ) AS h ON h.key = ${key}
    WHERE m.row_no = g0.row_no AND m.contacts = 0`.execute(db)
}

/** A text in the form that dedup compares. */
const asDedup = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`lower(${trimmedText(text)})`

/** Key of a staged row, in the form in which it is compared with contacts. */
function keyValue(plan: EventPlan): RawBuilder<unknown> {
  const { position, field } = plan.key
  const value = stagedValue(plan, position)
  if (field.type !== 'string') return value
  const text = trimmedText(value)
  // A value that is no id, or is too long for one, matches no contact.
  if (field.by === 'purl') return asDedup(value)
  return field.by === '_id' ? sql`CASE WHEN ${text} ~ '^[0-9]{1,18}$' THEN ${text}::bigint END` : text
}

/**
 * Tables that hold the key of contacts (`c`), and the condition on the wanted key (`w.key`), written in the same form
 * as the indexes.
 */
function holdersOf(
  account: AccountId,
  field: KeyField,
): { table: RawBuilder<unknown>; condition: RawBuilder<unknown> } {
  if (field.by === '_id') return { table: accountTable(account, 'contacts'), condition: sql`c.id = w.key` }
  if (field.by === 'field') {
    return { table: accountTable(account, field.table), condition: sql`c.${sql.id(field.column)} = w.key` }
  }
  // A base never ends with a digit, and its first holder has no number (ADR 0008).
  const base = sql`rtrim(w.key, '0123456789')`
  const digits = sql`substr(w.key, length(${base}) + 1)`
  const number = sql`
    CASE WHEN ${digits} = '' THEN 1 WHEN ${digits} ~ '^([2-9]|[1-9][0-9]{1,8})$' THEN ${digits}::int END`
  return {
    table: purlHolders(account),
    condition: sql`c.base_purl = ${base} AND coalesce(c.purl_number, 1) = ${number}`,
  }
}

/** Counts the rows without exactly one contact. */
export async function countUnmatched(db: Db, account: AccountId, importId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM ${stageTable(account, importId, 'matched')}
    WHERE contact_id IS NULL`.execute(db)
  return rows[0]?.count ?? 0
}

/** Selects the next such row after a given row, in file order, with the number of contacts that have its key. */
export async function selectUnmatched(
  db: Db,
  account: AccountId,
  importId: number,
  page: { after: number; limit: number },
): Promise<{ row: number; contacts: number }[]> {
  const { rows } = await sql<{ row: string; contacts: number }>`
    SELECT row_no AS row, contacts FROM ${stageTable(account, importId, 'matched')}
    WHERE contact_id IS NULL AND row_no > ${page.after}
    ORDER BY row_no LIMIT ${page.limit}`.execute(db)
  return rows.map(({ row, contacts }) => ({ row: Number(row), contacts }))
}

/**
 * Inserts the events of a batch of rows, and their custom event names. Returns the number of events. Event ids are
 * derived from import and row, so a repeated batch inserts nothing twice. Rows are sorted for the existing index: by
 * contact, or by id alone.
 */
export async function insertStagedEvents(
  db: Db,
  account: AccountId,
  importId: number,
  plan: EventPlan,
  range: RowRange,
): Promise<number> {
  const usual = plan.events.flatMap(({ position, field }) =>
    field.of === 'event' ? [{ position, name: field.name }] : [],
  )
  const own = plan.events.filter(({ field }) => field.of === 'details')
  await insertEventFields(
    db,
    account,
    own.map(({ field }) => field.name),
  )
  const names = usual.map(({ name }) => sql`, ${sql.id(name)}`)
  const values = usual.map(({ position, name }) => sql`, ${eventValue(name, stagedValue(plan, position))}`)
  // Events are not triggers unless the file says so.
  const trigger = usual.some(({ name }) => name === 'is_trigger') ? null : sql`, is_trigger`
  const { numAffectedRows } = await sql`
    INSERT INTO ${accountTable(account, 'events')}
      (id, contact_id, details${sql.join(names, sql``)}${trigger ?? sql``})
    SELECT (${eventIdPrefix(importId)}::text || lpad(to_hex(m.row_no), 12, '0'))::uuid, m.contact_id,
      ${detailsValue(plan, own)}${sql.join(values, sql``)}${trigger ? sql`, false` : sql``}
    FROM ${stageTable(account, importId, 'matched')} AS m
    JOIN ${stagedRows(
      account,
      importId,
      plan,
      plan.events.map(({ position }) => position),
    )} ON g0.row_no = m.row_no
    WHERE ${inRange(sql`m.row_no`, range)} AND m.contact_id IS NOT NULL
    ORDER BY ${plan.buildsIndexes ? sql`m.row_no` : sql`m.contact_id`}
    ON CONFLICT (id) DO NOTHING`.execute(db)
  return Number(numAffectedRows ?? 0)
}

function eventValue(name: EventFieldName, value: RawBuilder<unknown>): RawBuilder<unknown> {
  if (name === 'is_trigger') return sql`coalesce(${value}, false)`
  return name === 'event_code' ? trimmedText(value) : value
}

/**
 * The non-empty custom fields as JSON; null if there are none. Uses only immutable functions, which
 * `jsonb_build_object` is not: with Citus, only these allow the server that has the rows to insert them (ADR 0071).
 */
function detailsValue(plan: EventPlan, own: readonly EventColumn[]): RawBuilder<unknown> {
  if (own.length === 0) return sql`NULL::jsonb`
  const texts = own.filter(({ field }) => field.type === 'string')
  const names = sql.join(texts.map(({ field }) => sql`${field.name}::text`))
  const values = sql.join(texts.map(({ position }) => stagedValue(plan, position)))
  const ofTexts = texts.length > 0 ? [sql`jsonb_strip_nulls(jsonb_object(ARRAY[${names}], ARRAY[${values}]))`] : []
  // Numbers and booleans have the same form in JSON as in text.
  const ofOthers = own
    .filter(({ field }) => field.type !== 'string')
    .map(({ position, field }) => {
      const value = sql`${stagedValue(plan, position)}::text::jsonb`
      return sql`coalesce(jsonb_set('{}'::jsonb, ARRAY[${field.name}::text], ${value}), '{}'::jsonb)`
    })
  return sql`NULLIF(${sql.join([...ofTexts, ...ofOthers], sql` || `)}, '{}'::jsonb)`
}

/** Refreshes the planner's statistics. */
export async function analyzeEvents(db: Db, account: AccountId): Promise<void> {
  await sql`ANALYZE ${accountTable(account, 'events')}`.execute(db)
}
