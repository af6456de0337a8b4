import type { FieldValue } from '@portico/contract/contacts'
import { isDay } from '@portico/domain/days'
import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { accountTable, type Db } from '#platform/database.ts'
import { columnType, startOfDay, valueText } from './fields.queries.ts'
import type { ContactField } from './fields.service.ts'

export type ContactValue = z.output<typeof FieldValue> | null
type FieldAndValue = { field: ContactField; value: ContactValue }

/** The import number of contacts entered in a form: their ids come before those of all imports. */
export const enteredImport = 0

/** Contacts entered in a form have lower ids. */
export const firstImportedId = 1n << 33n

/**
 * Locks a contact, or fails at once when another transaction is writing it (`isLockTimeout`). Undefined if it does not
 * exist.
 */
export async function lockContact(
  db: Db,
  account: AccountId,
  id: string,
): Promise<{ importId: number; updatedAt: Date | null } | undefined> {
  const { rows } = await sql<{ importId: number; updatedAt: Date | null }>`
    SELECT import_id AS "importId", updated_at AS "updatedAt" FROM ${accountTable(account, 'contacts')}
    WHERE id = ${id}::bigint FOR UPDATE NOWAIT`.execute(db)
  return rows[0]
}

/** One contact as a table `c` with the columns of these fields. */
const contactRow = (account: AccountId, id: string, fields: readonly ContactField[]) =>
  contactRows(account, [id], fields)

/** Contacts as a table `c` with the columns of these fields. */
export function contactRows(
  account: AccountId,
  ids: readonly string[],
  fields: readonly ContactField[],
): RawBuilder<unknown> {
  const parts = [...new Set(fields.map(({ table }) => table))].filter((table) => table !== 'contacts')
  const joins = parts.map(
    (table) => sql`LEFT JOIN ${accountTable(account, table)} AS ${sql.id(table)} ON ${sql.id(table)}.id = contacts.id`,
  )
  const columns = fields.map(({ table, column }) => sql`, ${sql.id(table, column)} AS ${sql.id(column)}`)
  return sql`(
    SELECT contacts.id${sql.join(columns, sql``)}
    FROM ${sql.join([sql`${accountTable(account, 'contacts')} AS contacts`, ...joins], sql` `)}
    WHERE contacts.id = ANY(${sql.val(ids)}::bigint[])) AS c`
}

/**
 * The values of a contact in wire format, by the column of their field, and its `id`. Empty if the contact does not
 * exist.
 */
export async function selectContactValues(
  db: Db,
  account: AccountId,
  id: string,
  fields: readonly ContactField[],
): Promise<Map<string, ContactValue>> {
  const values = fields.map(({ type, column }) => {
    const value = sql.id('c', column)
    return type === 'date' || type === 'day' ? valueText(value, type) : value
  })
  const named = fields.map(({ column }, at) => sql`${values[at]} AS ${sql.id(column)}`)
  const { rows } = await sql<Record<string, ContactValue>>`
    SELECT ${sql.join([sql`c.id`, ...named])} FROM ${contactRow(account, id, fields)}`.execute(db)
  return new Map(Object.entries(rows[0] ?? {}))
}

/** The moment of a local time in a time zone, in wire format. */
export async function selectMoment(db: Db, local: string, timeZone: string): Promise<string | null> {
  const { rows } = await sql<{ moment: Date | null }>`
    SELECT (${local}::text::timestamp AT TIME ZONE ${timeZone}::text) AS moment`.execute(db)
  return rows[0]?.moment?.toISOString() ?? null
}

/**
 * Converts a value from before imports widened its field's type to the current type, as `widenColumn` did; in wire
 * format.
 * @param timeZone in which days begin
 */
export async function selectWidened(
  db: Db,
  { type, value }: { type: ContactField['type']; value: ContactValue },
  timeZone: string,
): Promise<ContactValue> {
  const widened = widenedValue(type, value, timeZone)
  if (!widened) return value
  const { rows } = await sql<{ value: ContactValue }>`SELECT ${widened} AS value`.execute(db)
  return rows[0]?.value ?? null
}

/** SQL for the value; null if it already has the type. */
function widenedValue(type: ContactField['type'], value: ContactValue, timeZone: string): RawBuilder<unknown> | null {
  if (type === 'string' && typeof value === 'number') return valueText(sql`${value}::${columnType('number')}`, 'number')
  if (type === 'string' && typeof value === 'boolean') return valueText(sql`${value}::boolean`, 'boolean')
  if (type !== 'date' || typeof value !== 'string' || !isDay(value)) return null
  return valueText(startOfDay(sql`${value}::date`, sql`${timeZone}`), 'date')
}

const typed = ({ field, value }: FieldAndValue) => sql`${value}::${columnType(field.type)}`

/** Sets fields of a contact, in each table that holds one of them. */
export async function updateContactValues(
  db: Db,
  account: AccountId,
  id: string,
  { values, now }: { values: readonly FieldAndValue[]; now: Date },
): Promise<void> {
  for (const [table, own] of Map.groupBy(values, ({ field }) => field.table)) {
    if (table === 'contacts') continue
    await insertPart(db, account, id, table, own)
  }
  const main = values.filter(({ field }) => field.table === 'contacts')
  const changes = main.map((each) => sql`${sql.id(each.field.column)} = ${typed(each)}`)
  await sql`
    UPDATE ${accountTable(account, 'contacts')} SET ${sql.join([...changes, sql`updated_at = ${now}::timestamptz`])}
    WHERE id = ${id}::bigint`.execute(db)
}

/** Inserts the contact's row in a further part table: it has none there before its first value. */
async function insertPart(db: Db, account: AccountId, id: string, table: string, values: readonly FieldAndValue[]) {
  const columns = values.map(({ field }) => sql.id(field.column))
  await sql`
    INSERT INTO ${accountTable(account, table)} (id, ${sql.join(columns)})
    VALUES (${id}::bigint, ${sql.join(values.map(typed))})
    ON CONFLICT (id) DO UPDATE SET ${sql.join(columns.map((column) => sql`${column} = excluded.${column}`))}`.execute(
    db,
  )
}

/** Inserts a contact entered in a form. `number` distinguishes it from others entered that way, and is never reused. */
export async function insertContact(
  db: Db,
  account: AccountId,
  number: string,
  { values, now }: { values: readonly FieldAndValue[]; now: Date },
): Promise<void> {
  if (BigInt(number) >= firstImportedId) throw new Error('There are no numbers left for contacts entered in a form.')
  await sql`
    INSERT INTO ${accountTable(account, 'contacts')} (id, import_id)
    VALUES (${number}::bigint, ${enteredImport})`.execute(db)
  await updateContactValues(db, account, number, { values, now })
}
