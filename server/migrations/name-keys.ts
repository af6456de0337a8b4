import { foldName } from '@portico/domain/names'
import type pg from 'pg'

/** A table whose names are unique without regard to case. */
type NamedTable = {
  table: string
  /** The noun for a row in the audit log. */
  noun: string
  name?: string
  key?: string
  idType: 'integer' | 'bigint' | 'uuid'
  /** Names are unique among the rows that share these values. */
  within?: string[]
  /** Condition for the rows whose names are unique; the others may have any name. */
  unique?: string
  /** Of rows with equal names, the first in this order gets the key of the name. */
  order?: string
}

export const controlNames: NamedTable[] = [
  { table: 'accounts', noun: 'account', idType: 'integer' },
  { table: 'policies', noun: 'policy', idType: 'uuid', within: ['account_id'] },
  { table: 'groups', noun: 'group', idType: 'uuid', within: ['account_id'] },
  { table: 'saved_filters', noun: 'saved filter', idType: 'uuid', within: ['account_id'], order: 'created_at, id' },
  {
    table: 'crons',
    noun: 'cron',
    idType: 'uuid',
    within: ['account_id', 'consumer'],
    unique: 'terminated_at IS NULL',
    order: 'created_at, id',
  },
  {
    table: 'identities',
    noun: 'service identity',
    name: 'service_name',
    key: 'service_name_key',
    idType: 'uuid',
    within: ['account_id'],
    order: 'created_at, id',
  },
]

export const accountNames: NamedTable[] = [
  { table: 'fields', noun: 'field', idType: 'integer' },
  { table: 'imports', noun: 'import', idType: 'integer' },
  { table: 'exports', noun: 'export', idType: 'bigint' },
  { table: 'indexes', noun: 'index', idType: 'integer' },
]

type NamedRow = { id: string; name: string; scope: string | null; is_unique: boolean }

/**
 * Gives each row the key of its name. If an earlier release stored two rows whose names are equal now, the later one
 * keeps its name and remains usable, under a key that no name has; the audit log of its account records this.
 */
export async function fillNameKeys(
  client: pg.ClientBase,
  schema: string,
  tables: readonly NamedTable[],
): Promise<void> {
  for (const table of tables) {
    const rows = await selectNames(client, schema, table)
    const taken = new Map<string, string>()
    const keys = rows.map((row) => {
      const place = JSON.stringify([row.scope, foldName(row.name)])
      const first = row.is_unique ? taken.get(place) : undefined
      if (row.is_unique && first === undefined) taken.set(place, row.name)
      return { ...row, first, key: first === undefined ? foldName(row.name) : keptApart(row) }
    })
    for (let at = 0; at < keys.length; at += batch) await updateKeys(client, schema, table, keys.slice(at, at + batch))
    for (const { name, scope, first } of keys) {
      if (first !== undefined) await report(client, accountOf(schema, table, scope), { noun: table.noun, name, first })
    }
  }
}

// `updateKeys` compares each id with all of a batch.
const batch = 500

/** Ends in a space, which no folded name does. */
const keptApart = ({ id, name }: NamedRow): string => `${foldName(name)} ${id} `

async function selectNames(
  client: pg.ClientBase,
  schema: string,
  { table, name = 'name', within = [], unique = 'true', order = 'id' }: NamedTable,
): Promise<NamedRow[]> {
  const scope = within.length === 0 ? 'NULL' : `to_json(ARRAY[${within.map((each) => `${each}::text`).join()}])::text`
  const { rows } = await client.query<NamedRow>(
    `SELECT id::text AS id, ${name} AS name, ${scope} AS scope, ${unique} AS is_unique FROM ${schema}.${table}
     WHERE ${name} IS NOT NULL ORDER BY ${order}`,
  )
  return rows
}

// Only immutable functions and no join: the account's server in a cluster then runs all of it (ADR 0071).
async function updateKeys(
  client: pg.ClientBase,
  schema: string,
  { table, key = 'name_key', idType }: NamedTable,
  rows: readonly { id: string; key: string }[],
): Promise<void> {
  await client.query(
    `UPDATE ${schema}.${table} SET ${key} = ($2::text[])[array_position($1::${idType}[], id)]
     WHERE id = ANY ($1::${idType}[])`,
    [rows.map(({ id }) => id), rows.map((row) => row.key)],
  )
}

/** Returns the account of a row; null for a global one. */
function accountOf(schema: string, { within }: NamedTable, scope: string | null): number | null {
  const own = /^account_(\d+)$/.exec(schema)?.[1]
  if (own !== undefined) return Number(own)
  const [account = null] = scope === null ? [] : (JSON.parse(scope) as (string | null)[])
  return within?.includes('account_id') && account !== null ? Number(account) : null
}

async function report(
  client: pg.ClientBase,
  account: number | null,
  { noun, name, first }: { noun: string; name: string; first: string },
): Promise<void> {
  await client.query(
    `INSERT INTO portico.audit_log (account_id, at, actor, action, subject, details, via)
     VALUES ($1, $2, 'portico', $3, $4, $5, 'portal')`,
    [account, new Date(), `${noun} has a name in use`, name, JSON.stringify({ sameNameAs: first })],
  )
}
