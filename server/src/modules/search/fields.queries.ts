import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { ContactField } from '#contacts'
import { accountSchema, type Db } from '#platform/database.ts'

type Column = Pick<ContactField, 'table' | 'column'>

/** Those of `fields` that lead an index, as `table.column`. */
export function selectIndexedColumns(db: Db, account: AccountId, fields: readonly Column[]): Promise<Set<string>> {
  return selectLeading(db, account, fields, null)
}

/** Those of `fields` whose texts an index finds by their beginning, as `table.column`. */
export function selectPrefixIndexedColumns(
  db: Db,
  account: AccountId,
  fields: readonly Column[],
): Promise<Set<string>> {
  return selectLeading(db, account, fields, 'text_pattern_ops')
}

/** The tables are named: to find those of a schema, PostgreSQL would read the names of all accounts. */
async function selectLeading(
  db: Db,
  account: AccountId,
  fields: readonly Column[],
  operators: string | null,
): Promise<Set<string>> {
  const tables = [...new Set(fields.map(({ table }) => table))]
  const { rows } = await sql<{ name: string }>`
    SELECT t.name || '.' || a.attname AS name
    FROM unnest(${sql.val(tables)}::text[]) AS t (name)
    JOIN pg_index i ON i.indrelid = to_regclass(${accountSchema(account)} || '.' || quote_ident(t.name))
    JOIN pg_opclass o ON o.oid = i.indclass[0]
    JOIN pg_am m ON m.oid = o.opcmethod AND m.amname = 'btree'
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indisvalid AND (${operators}::text IS NULL OR o.opcname = ${operators})`.execute(db)
  return new Set(rows.map(({ name }) => name))
}
