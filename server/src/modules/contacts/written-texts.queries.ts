import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'
import { columnName, type FieldRow, partTable, startOfDay, valueText } from './fields.queries.ts'

// The texts from which values were read when their field's type was changed, kept where the value alone cannot restore
// them: `007` that became 7, or `n/a` that became no number. A text counts as long as the contact still has the value
// that was read from it.

const writtenTable = (account: AccountId) => accountTable(account, 'written_texts')

/** A field and where its values are stored. */
type StoredField = { type: FieldRow['type']; table: string; column: string; columnNo: number }

/** A text of a contact, and the text of the value read from it; null if none could be read. */
export type WrittenText = { contact: string; written: string; readAs: string | null }

/** Stores texts of a column, replacing those that these contacts had. */
export async function insertWrittenTexts(
  db: Db,
  account: AccountId,
  column: number,
  texts: readonly WrittenText[],
): Promise<void> {
  if (texts.length === 0) return
  await sql`
    INSERT INTO ${writtenTable(account)} (column_no, contact_id, written, read_as)
    SELECT ${column}::int, t.contact, t.written, t.read_as
    FROM unnest(${texts.map(({ contact }) => contact)}::bigint[], ${texts.map(({ written }) => written)}::text[],
      ${texts.map(({ readAs }) => readAs)}::text[]) AS t (contact, written, read_as)
    ON CONFLICT (column_no, contact_id) DO UPDATE SET written = excluded.written, read_as = excluded.read_as`.execute(
    db,
  )
}

/** Removes the texts of a column; if contacts are given, only theirs. */
export async function deleteWrittenTexts(
  db: Db,
  account: AccountId,
  column: number,
  contacts?: readonly string[],
): Promise<void> {
  const some = contacts ? sql` AND contact_id = ANY (${[...contacts]}::bigint[])` : sql``
  await sql`DELETE FROM ${writtenTable(account)} WHERE column_no = ${column}${some}`.execute(db)
}

/**
 * Removes a contact's unreadable texts in columns that a user has emptied: the contact is meant to have no value there.
 */
export async function forgetUnreadTexts(
  db: Db,
  account: AccountId,
  contact: string,
  columns: readonly number[],
): Promise<void> {
  if (columns.length === 0) return
  await sql`
    DELETE FROM ${writtenTable(account)}
    WHERE contact_id = ${contact}::bigint AND column_no = ANY (${[...columns]}::int[]) AND read_as IS NULL`.execute(db)
}

/** Removes texts that a fill has written for contacts deleted in the meantime. */
export async function deleteTextsOfDeleted(db: Db, account: AccountId, column: number): Promise<void> {
  await sql`
    DELETE FROM ${writtenTable(account)} AS w WHERE w.column_no = ${column}
      AND NOT EXISTS (SELECT FROM ${accountTable(account, 'contacts')} AS c WHERE c.id = w.contact_id)`.execute(db)
}

/** The number of contacts whose text of a field is kept and still counts. */
export async function countWrittenTexts(db: Db, account: AccountId, field: StoredField): Promise<number> {
  const value = sql.id('c', field.column)
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${writtenTable(account)} AS w
    LEFT JOIN ${accountTable(account, field.table)} AS c ON c.id = w.contact_id
    WHERE w.column_no = ${field.columnNo} AND w.read_as IS NOT DISTINCT FROM ${valueText(value, field.type)}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** The text of a contact as it was written: the kept one if it still counts, otherwise the text of the value. */
function textAsWritten(value: RawBuilder<unknown>, type: FieldRow['type']): RawBuilder<unknown> {
  const text = valueText(value, type)
  return sql`CASE WHEN w.contact_id IS NOT NULL AND w.read_as IS NOT DISTINCT FROM ${text} THEN w.written ELSE ${text} END`
}

/** A contact with the text of a field; null if it has none. `day`: of a moment, its day in the account's time zone. */
export type ContactText = { id: string; text: string | null; day: string | null }

type Selected = { timeZone: string; after: string; limit: number; ids?: readonly string[] }

// A cell may have megabytes. Whatever is done with texts holds a few times as many bytes.
export const mostTextBytes = 8 * 2 ** 20

/**
 * The texts of a field: of the next contacts, or of the next of some given contacts, in the order of their ids. Fewer
 * than `limit` if texts are long: a text that begins after 8 MiB waits for the next call. Empty when there are no more.
 */
export async function selectContactTexts(
  db: Db,
  account: AccountId,
  field: StoredField,
  selected: Selected,
): Promise<ContactText[]> {
  const isInPart = field.table !== 'contacts'
  const part = sql`LEFT JOIN ${accountTable(account, field.table)} AS p ON p.id = c.id`
  const value = sql.id(isInPart ? 'p' : 'c', field.column)
  const isText = field.type === 'string'
  const kept = sql`LEFT JOIN ${writtenTable(account)} AS w ON w.column_no = ${field.columnNo}::int AND w.contact_id = c.id`
  const day = sql`to_char(${value} AT TIME ZONE ${selected.timeZone}::text, 'YYYY-MM-DD')`
  const some = selected.ids ? sql` AND c.id = ANY (${[...selected.ids]}::bigint[])` : sql``
  const text = isText ? value : textAsWritten(value, field.type)
  const bytes = sql`coalesce(octet_length(${text}), 0)`
  const { rows } = await sql<ContactText>`
    SELECT t.id::text AS id, t.text, t.day FROM (
      SELECT c.id, ${text} AS text, ${field.type === 'date' ? day : sql`NULL::text`} AS day,
        sum(${bytes}) OVER (ORDER BY c.id ROWS UNBOUNDED PRECEDING) - ${bytes} AS bytes_before
      FROM ${accountTable(account, 'contacts')} AS c ${isInPart ? part : sql``} ${isText ? sql`` : kept}
      WHERE c.id > ${selected.after}::bigint${some} ORDER BY c.id LIMIT ${selected.limit}
    ) AS t WHERE t.bytes_before < ${mostTextBytes} ORDER BY t.id`.execute(db)
  return rows
}

/** Updates the kept texts after an import widened a field in place: a field widened to text gets them back. */
export async function widenWrittenTexts(
  db: Db,
  account: AccountId,
  field: FieldRow,
  { type, timeZone }: { type: 'string' | 'date'; timeZone: string },
): Promise<void> {
  const column = field.column_no ?? field.id
  const written = writtenTable(account)
  if (type === 'date') {
    // In two steps, as a Citus server writes values but cannot compute moments.
    const rows = await selectStartsOfDays(db, account, column, timeZone)
    await sql`
      UPDATE ${written} AS w SET read_as = m.moment
      FROM unnest(${rows.map(({ day }) => day)}::text[], ${rows.map((row) => row.moment)}::text[]) AS m (day, moment)
      WHERE w.column_no = ${column} AND w.read_as = m.day`.execute(db)
    return
  }
  const table = accountTable(account, partTable(field.part))
  const value = sql.id(columnName(field))
  await sql`
    UPDATE ${table} AS c SET ${value} = w.written FROM ${written} AS w
    WHERE w.column_no = ${column} AND w.contact_id = c.id AND w.read_as IS NOT DISTINCT FROM c.${value}`.execute(db)
  await deleteWrittenTexts(db, account, column)
}

/** The days that were read for a column, each with the moment at which it begins, as texts. */
async function selectStartsOfDays(
  db: Db,
  account: AccountId,
  column: number,
  timeZone: string,
): Promise<{ day: string; moment: string }[]> {
  const moment = startOfDay(sql`d.day::date`, sql`${timeZone}`)
  const { rows } = await sql<{ day: string; moment: string }>`
    SELECT d.day, ${valueText(moment, 'date')} AS moment FROM (
      SELECT DISTINCT read_as AS day FROM ${writtenTable(account)}
      WHERE column_no = ${column} AND read_as IS NOT NULL
    ) AS d`.execute(db)
  return rows
}
