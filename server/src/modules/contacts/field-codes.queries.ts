import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import { columnName, type FieldRow, type FieldTables, partTable } from './fields.queries.ts'

/** Values of one part's fields in the oldest and the newest contacts, by field id. */
export async function selectSampleNumbers(
  db: Db,
  account: AccountId,
  part: number,
  fields: readonly FieldRow[],
  contacts: number,
): Promise<Map<number, number[]>> {
  const columns = sql.join(fields.map((field) => sql.id(columnName(field))))
  const table = accountTable(account, partTable(part))
  const end = (order: 'ASC' | 'DESC') =>
    sql`(SELECT ${columns} FROM ${table} ORDER BY id ${sql.raw(order)} LIMIT ${contacts})`
  const { rows } = await sql<Record<string, number | null>>`${end('ASC')} UNION ALL ${end('DESC')}`.execute(db)
  return new Map(fields.map((field) => [field.id, rows.flatMap((row) => row[columnName(field)] ?? [])]))
}

export async function updateHasCodes(db: Db, account: AccountId, id: number, hasCodes: boolean): Promise<void> {
  await inAccount<FieldTables>(db, account)
    .updateTable('fields')
    .set({ has_codes: hasCodes })
    .where('id', '=', id)
    .execute()
}
