import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountSchema, type Db } from '#platform/database.ts'

/** The columns that lead an index, as `table.column`. */
export async function selectIndexedColumns(db: Db, account: AccountId): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname || '.' || a.attname AS name
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE n.nspname = ${accountSchema(account)} AND i.indisvalid`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** The columns whose texts an index finds by their beginning, as `table.column`. */
export async function selectPrefixIndexedColumns(db: Db, account: AccountId): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    SELECT c.relname || '.' || a.attname AS name
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_opclass o ON o.oid = i.indclass[0]
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
    WHERE n.nspname = ${accountSchema(account)} AND i.indisvalid AND o.opcname = 'text_pattern_ops'`.execute(db)
  return new Set(rows.map(({ name }) => name))
}
