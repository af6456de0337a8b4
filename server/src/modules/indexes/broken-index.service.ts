import type { AccountId } from '@portico/contract/accounts'
import { customIndexPrefix } from '@portico/contract/indexes'
import { type ContactField, listContactFields } from '#contacts'
import { type Db, isUniqueViolation } from '#platform/database.ts'
import { columnsOf } from './index-key.ts'
import { selectIndexes } from './indexes.queries.ts'

/** The unique index that a write violated, and its fields; null for any other error, and for built-in indexes. */
export async function findBrokenIndex(
  db: Db,
  account: AccountId,
  error: unknown,
): Promise<{ name: string; fields: string[]; values: string } | null> {
  const repeated = isUniqueViolation(error) ? repeatedOf(error) : null
  if (!repeated) return null
  const fields = new Map((await listContactFields(db, account)).map((field) => [field.id, field]))
  for (const row of await selectIndexes(db, account)) {
    const indexed = columnsOf(row, fields).map(({ field }) => field)
    if (!row.is_unique || indexed.map(({ column }) => column).join(', ') !== repeated.columns) continue
    const name = row.name.replace(customIndexPrefix, '')
    return { name, fields: indexed.map((field) => field.name), values: repeated.values }
  }
  return null
}

/** The same in words for those who import a file, with the value. */
export async function describeBrokenIndex(db: Db, account: AccountId, error: unknown): Promise<string | null> {
  const broken = await findBrokenIndex(db, account, error)
  return broken && duplicateReason(broken)
}

/** Says that a file has values which a unique index does not allow. `values`: an example, joined by commas. */
export function duplicateReason(index: { name: string; fields: readonly string[]; values: string }): string {
  const names = index.fields.map((name) => `"${name}"`).join(' and ')
  return `The unique index "${index.name}" does not allow duplicate values of ${names}. Correct the file, or delete the index.${exampleStart}"${shortened(index.values)}" would be a duplicate.`
}

/** A unique index that a user made, by its name as people see it, and its fields in the order of the key. */
export type UniqueIndex = { name: string; fields: ContactField[] }

/** The unique indexes that writes of contacts have to keep: those that are built, also where they are built again. */
export async function listUniqueIndexes(db: Db, account: AccountId): Promise<UniqueIndex[]> {
  const fields = new Map((await listContactFields(db, account)).map((field) => [field.id, field]))
  return (await selectIndexes(db, account))
    .filter((row) => row.is_unique && row.state !== 'failed' && row.state !== 'deleting')
    .map((row) => ({
      name: row.name.replace(customIndexPrefix, ''),
      fields: columnsOf(row, fields).map(({ field }) => field),
    }))
}

/**
 * Returns the columns and values that PostgreSQL names: `Key (c1, c2)=(Ada, Paris) already exists.` Reads only the part that
 * is the same in all languages; the index name is not always available (Citus).
 */
function repeatedOf(error: unknown): { columns: string; values: string } | null {
  const detail = error instanceof Error && 'detail' in error ? String(error.detail) : ''
  const [, columns, values] = /\(([^()]*)\)=\((.*)\)/s.exec(detail) ?? []
  return columns === undefined || values === undefined ? null : { columns, values }
}

/** Shortens a value to fit into a sentence. */
export function shortened(value: string): string {
  return value.length > 100 ? `${value.slice(0, 100)}…` : value
}

/** Begins the part of a reason that has values of contacts. */
export const exampleStart = ' For example, '

/** A reason without the values that it names. */
export function withoutExample(reason: string): string {
  const at = reason.indexOf(exampleStart)
  return at === -1 ? reason : reason.slice(0, at)
}

/** Whether writing contacts may break an index. */
export async function hasUniqueIndex(db: Db, account: AccountId): Promise<boolean> {
  return (await selectIndexes(db, account)).some(({ is_unique: isUnique }) => isUnique)
}
