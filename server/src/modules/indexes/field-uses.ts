import type { AccountId } from '@portico/contract/accounts'
import { customIndexPrefix } from '@portico/contract/indexes'
import { isSameName } from '@portico/domain/names'
import { listContactFields } from '#contacts'
import type { Db } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { columnsOf, customName, keyOf } from './index-key.ts'
import { selectIndexes, updateIndexName } from './indexes.queries.ts'

/** Indexes mean fields by their numbers. Their names hold the names of the fields, unless people chose others. */
export const indexFields: FieldUses = {
  kind: 'index',
  async find(db, account, { from }) {
    const fields = new Map((await listContactFields(db, account)).map((field) => [field.id, field]))
    const rows = await selectIndexes(db, account)
    return rows.filter((row) => columnsOf(row, fields).some(({ field }) => isSameName(field.name, from)))
  },
  async *findEach(db, account, sought) {
    const fields = new Map((await listContactFields(db, account)).map((field) => [field.id, field]))
    for (const row of await selectIndexes(db, account))
      yield { name: row.name, fields: sought.among(columnsOf(row, fields).map(({ field }) => field.name)) }
  },
  async readMark(db, account) {
    const rows = await selectIndexes(db, account)
    return JSON.stringify(rows.map(({ id, field_1: first, field_2: second }) => [id, first, second]))
  },
  async rename(tx, account, _by, { from, to }) {
    const fields = new Map((await listContactFields(tx, account)).map((field) => [field.id, field]))
    const rows = await selectIndexes(tx, account)
    const taken = new Set(rows.map(({ name }) => name))
    for (const row of rows) {
      const key = keyOf(columnsOf(row, fields))
      // The catalogue has the new name already, or has it next.
      const before = key.map(([name, order]): [string, 1 | -1] => [isSameName(name, to) ? from : name, order])
      const after = key.map(([name, order]): [string, 1 | -1] => [isSameName(name, from) ? to : name, order])
      const name = customName(undefined, after)
      if (row.name !== customName(undefined, before) || taken.has(name)) continue
      await updateIndexName(tx, account, row, name)
    }
  },
}

/** The names of the unique indexes that hold a field. */
export async function uniqueIndexesOf(db: Db, account: AccountId, field: number): Promise<string[]> {
  const rows = await selectIndexes(db, account)
  return rows
    .filter((row) => row.is_unique && (row.field_1 === field || row.field_2 === field))
    .map(({ name }) => name.replace(customIndexPrefix, ''))
}
