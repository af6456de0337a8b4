import type { ContactChange } from '@portico/contract/contact-edits'
import type { AccountId } from '@portico/contract/accounts'
import { type Generated, type JSONColumnType, type Selectable, sql } from 'kysely'
import type { ContactValue } from '#contacts'
import { accountTable, type Db, inAccount } from '#platform/database.ts'

/** A value of a contact before and after a change. `name`: that of the field at the time. */
export type FieldChange = { field: number; name: string; from: ContactValue; to: ContactValue }

/** Table `contact_changes` of an account. */
type ChangeTable = {
  id: Generated<string>
  contact_id: string
  at: Date
  kind: ContactChange['kind']
  actor: string
  /** Other means than a session, in words. */
  via: string | null
  /** The change that this one takes back. */
  undoes: string | null
  fields: JSONColumnType<FieldChange[]>
}
type Tables = { contact_changes: ChangeTable }

export type ChangeRow = Selectable<ChangeTable>
export type NewChange = Omit<ChangeRow, 'id' | 'contact_id'>

/** Inserts a change of a contact. Without one, of the contact that has the number of the change itself: a new one. */
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

/** The last changes of a contact, newest first, each with whether a later one takes it back. */
export async function selectChanges(
  db: Db,
  account: AccountId,
  contact: string,
  limit: number,
): Promise<(ChangeRow & { isUndone: boolean })[]> {
  return inAccount<Tables>(db, account)
    .selectFrom('contact_changes as change')
    .selectAll('change')
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('contact_changes as later')
            .select(sql`1`.as('one'))
            .whereRef('later.contact_id', '=', 'change.contact_id')
            .whereRef('later.undoes', '=', 'change.id'),
        )
        .as('isUndone'),
    )
    .where('contact_id', '=', contact)
    .orderBy('id', 'desc')
    .limit(limit)
    .$castTo<ChangeRow & { isUndone: boolean }>()
    .execute()
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

type LastChange = Pick<ChangeRow, 'actor' | 'at'> & { to: ContactValue }

/** Who gave each of these fields of a contact its last value by hand, when, and the value. */
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

/** Removes the values of a field from all changes, and the changes that have no others. */
export async function deleteChangesOfField(db: Db, account: AccountId, field: number): Promise<void> {
  const changes = accountTable(account, 'contact_changes')
  await sql`
    UPDATE ${changes} SET fields = (
      SELECT coalesce(jsonb_agg(given ORDER BY place), '[]')
      FROM jsonb_array_elements(fields) WITH ORDINALITY AS listed (given, place)
      WHERE (given ->> 'field')::int <> ${field}::int)
    WHERE fields @> ${JSON.stringify([{ field }])}::jsonb`.execute(db)
  await sql`DELETE FROM ${changes} WHERE fields = '[]'`.execute(db)
}
