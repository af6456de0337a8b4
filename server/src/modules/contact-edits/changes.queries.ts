import type { ContactChange } from '@portico/contract/contact-edits'
import type { AccountId } from '@portico/contract/accounts'
import { type Generated, type JSONColumnType, type RawBuilder, type Selectable, sql } from 'kysely'
import type { ContactValue } from '#contacts'
import { accountTable, type Db, inAccount } from '#platform/database.ts'

/**
 * A value of a contact before and after a change. `name`: the field's name at the time. `returns`: to what an undo leads, if
 * another change before it was taken back since. `undone`: it was taken back, or took another one back (ADR 0168).
 */
export type FieldChange = {
  field: number
  name: string
  from: ContactValue
  to: ContactValue
  returns?: ContactValue
  undone?: true
}

/** The value to which the undo of a change leads. */
export const returnedBy = ({ from, returns }: FieldChange): ContactValue => (returns === undefined ? from : returns)

/** Table `contact_changes` of an account. */
type ChangeTable = {
  id: Generated<string>
  contact_id: string
  at: Date
  kind: ContactChange['kind']
  actor: string
  /** The means, in words, if other than a session. */
  via: string | null
  /** The change that this one undoes. */
  undoes: string | null
  /** The last import that had changed the contact by then, 0 for none. */
  last_import: number
  fields: JSONColumnType<FieldChange[]>
  /** Of a merge and of its undo: the contact that was merged, and the delete that keeps it. */
  merged_contact: string | null
  delete_id: string | null
}
type Tables = { contact_changes: ChangeTable }

export type ChangeRow = Selectable<ChangeTable>
export type NewChange = Omit<ChangeRow, 'id' | 'contact_id'>

/** Inserts a change of a contact. If no contact is given, it is a new one, with the number of the change itself. */
export async function insertChange(
  db: Db,
  account: AccountId,
  contact: string | null,
  change: NewChange,
): Promise<ChangeRow> {
  const tables = inAccount<Tables>(db, account)
  const row = await tables
    .insertInto('contact_changes')
    .values({ ...change, contact_id: contact ?? '0', fields: JSON.stringify(change.fields) })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (contact !== null) return row
  await tables.updateTable('contact_changes').set({ contact_id: row.id }).where('id', '=', row.id).execute()
  return { ...row, contact_id: row.id }
}

/** The number of the last change of any contact; 0 if there is none. */
export async function selectLastChange(db: Db, account: AccountId): Promise<string> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('contact_changes')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirst()
  return row?.last ?? '0'
}

/** The contacts that were changed or added after a change. */
export async function selectChangedContacts(db: Db, account: AccountId, after: string): Promise<string[]> {
  const rows = await inAccount<Tables>(db, account)
    .selectFrom('contact_changes')
    .select('contact_id')
    .distinct()
    .where('id', '>', after)
    .execute()
  return rows.map((row) => row.contact_id)
}

type ShownChange = Omit<ChangeRow, 'fields' | 'last_import'> & {
  isUndone: boolean
  fields: (FieldChange & { shortened: ('from' | 'to')[] })[]
}

// Limits for a single text in the list, the texts of one change together, and the whole list.
const [textLength, changeLength, listBytes] = [1000, 40_000, 5_000_000]

/**
 * The last changes of some fields of a contact, newest first, each with whether a later change undoes it. Texts are
 * shortened to 1,000 characters, or to fewer in a change of more than 20 fields. Returns fewer than `limit` changes if
 * they exceed 5 MB.
 */
export async function selectChanges(
  db: Db,
  account: AccountId,
  contact: string,
  { limit, fields }: { limit: number; fields: readonly number[] },
): Promise<ShownChange[]> {
  const changes = accountTable(account, 'contact_changes')
  const most = sql`least(${textLength}::int, greatest(30, ${changeLength}::int / (1 + 2 * jsonb_array_length(change.fields))))`
  const isLong = (value: RawBuilder<unknown>) =>
    sql`(jsonb_typeof(${value}) = 'string' AND length(${value} #>> '{}') > ${most})`
  const short = (value: RawBuilder<unknown>) =>
    sql`CASE WHEN ${isLong(value)} THEN to_jsonb(left(${value} #>> '{}', ${most})) ELSE ${value} END`
  const [from, to] = [sql`(given -> 'from')`, sql`(given -> 'to')`]
  const { rows } = await sql<ShownChange>`
    SELECT id, contact_id, at, kind, actor, via, undoes, merged_contact, delete_id, fields, "isUndone" FROM (
      SELECT shown.*, sum(octet_length(fields::text)) OVER (ORDER BY id DESC) AS bytes FROM (
        SELECT id, contact_id, at, kind, actor, via, undoes, merged_contact, delete_id,
          coalesce((SELECT jsonb_agg(given - 'returns' || jsonb_build_object('from', ${short(from)}, 'to', ${short(to)}, 'shortened',
              array_remove(ARRAY[CASE WHEN ${isLong(from)} THEN 'from' END, CASE WHEN ${isLong(to)} THEN 'to' END], NULL)
            ) ORDER BY place)
            FROM jsonb_array_elements(change.fields) WITH ORDINALITY AS listed (given, place)
            WHERE (given ->> 'field')::int = ANY (${sql.val(fields)}::int[])),
            CASE WHEN merged_contact IS NOT NULL THEN '[]'::jsonb END) AS fields,
          EXISTS (SELECT FROM ${changes} AS later
            WHERE later.contact_id = change.contact_id AND later.undoes = change.id) AS "isUndone"
        FROM ${changes} AS change WHERE contact_id = ${contact}::bigint ORDER BY id DESC LIMIT ${limit}
      ) AS shown WHERE fields IS NOT NULL
    ) AS sized WHERE bytes <= ${listBytes} ORDER BY id DESC`.execute(db)
  return rows
}

export async function selectChange(
  db: Db,
  account: AccountId,
  contact: string,
  id: string,
): Promise<ChangeRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('contact_changes')
    .selectAll()
    .where('contact_id', '=', contact)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The change of the contact into which another one was merged. */
export async function selectMergeChange(
  db: Db,
  account: AccountId,
  contact: string,
  deleteId: string,
): Promise<ChangeRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('contact_changes')
    .selectAll()
    .where('contact_id', '=', contact)
    .where('delete_id', '=', deleteId)
    .where('kind', '=', 'merged')
    .executeTakeFirst()
}

type LastChange = Pick<ChangeRow, 'actor' | 'at'> & { to: ContactValue }

/** The last value that each of these fields of a contact was given by an edit, with its author and time. */
export async function selectLastChanges(
  db: Db,
  account: AccountId,
  contact: string,
  fields: readonly number[],
): Promise<Map<number, LastChange>> {
  const { rows } = await sql<LastChange & { field: number }>`
    SELECT DISTINCT ON (field) (given ->> 'field')::int AS field, actor, at, given -> 'to' AS to
    FROM ${accountTable(account, 'contact_changes')}, jsonb_array_elements(fields) AS given
    WHERE contact_id = ${contact}::bigint AND (given ->> 'field')::int = ANY (${sql.val(fields)}::int[])
    ORDER BY field, id DESC`.execute(db)
  return new Map(rows.map(({ field, ...last }) => [field, last]))
}

/** Removes the values of a field from all changes, and changes that have no others. */
export async function deleteChangesOfField(db: Db, account: AccountId, field: number): Promise<void> {
  const changes = accountTable(account, 'contact_changes')
  await sql`
    UPDATE ${changes} SET fields = (
      SELECT coalesce(jsonb_agg(given ORDER BY place), '[]')
      FROM jsonb_array_elements(fields) WITH ORDINALITY AS listed (given, place)
      WHERE (given ->> 'field')::int <> ${field}::int)
    WHERE fields @> ${JSON.stringify([{ field }])}::jsonb`.execute(db)
  await sql`DELETE FROM ${changes} WHERE fields = '[]' AND merged_contact IS NULL`.execute(db)
}
