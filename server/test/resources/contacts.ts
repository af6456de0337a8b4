import type { FieldType } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import { ensureFields } from '#contacts'
import type { Database } from '#platform/database.ts'

export type FieldValues = Record<string, string | number | boolean | null>

/** Internal values of a contact that an import would compute. */
type Internals = { importId?: number; purl?: { base: string; number: number } }

/** Adds contacts to an account, as if imported. Returns their ids, in order. */
export async function addContacts(
  { db, pool }: Database,
  account: AccountId,
  types: Record<string, FieldType>,
  contacts: readonly FieldValues[],
  internals: (at: number) => Internals = () => ({}),
): Promise<string[]> {
  const names = Object.keys(types)
  const fields = await ensureFields(
    db,
    account,
    names.map((name) => ({ name, type: types[name] ?? 'string' })),
  )
  const schema = `account_${account}`
  const last = await pool.query<{ id: string }>(
    `SELECT coalesce(max(id & (1::bigint << 33) - 1), 0) AS id FROM ${schema}.contacts`,
  )
  const ids: string[] = []
  for (const [at, contact] of contacts.entries()) {
    const { importId = 1, purl } = internals(at)
    const id = String((BigInt(importId) << 33n) + BigInt(last.rows[0]?.id ?? 0) + BigInt(at + 1))
    ids.push(id)
    const rows: Record<string, Record<string, unknown>> = { contacts: { id, import_id: importId } }
    if (purl) rows['contact_keys'] = { id, purl_scope: 0, base_purl: purl.base, purl_number: purl.number }
    for (const { name, table, column } of fields) {
      const row = (rows[table] ??= { id })
      row[column] = contact[name] ?? null
    }
    for (const [table, row] of Object.entries(rows)) {
      const columns = Object.keys(row)
      const places = columns.map((_column, place) => `$${place + 1}`)
      const text = `INSERT INTO ${schema}.${table} (${columns.join()}) VALUES (${places.join()})`
      await pool.query(text, Object.values(row))
    }
  }
  return ids
}
