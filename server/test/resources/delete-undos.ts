import type { DeleteRecord, MissingRecords } from '@portico/contract/deletes'
import { expect, vi } from 'vitest'
import { runRestore } from '#delete-undos'
import type { Answer, Client, Member, TestPortal } from '#test/kit/portal.ts'

const service = '/contact-service/v1'

export const restorePath = (id: string): string => `${service}/deletes/${id}/restore`

/** Deletes the contacts of a filter. Returns the delete as listed in the history. */
export async function deleteBy(member: Member, filter: unknown[], deletedRecords: number): Promise<DeleteRecord> {
  const answer = await member.delete(`${service}/offers`, { filter, deletedRecords })
  expect(answer).toMatchObject({ status: 200, body: { deletedCount: deletedRecords } })
  const [last] = await listDeletes(member)
  if (!last) throw new Error('the history has no delete')
  return last
}

export const listDeletes = async (by: Client): Promise<DeleteRecord[]> =>
  (await by.get(`${service}/deletes`)).json<DeleteRecord[]>()

export async function readDelete(by: Client, id: string): Promise<DeleteRecord> {
  const found = (await listDeletes(by)).find(({ _id }) => _id === id)
  if (!found) throw new Error(`no delete ${id}`)
  return found
}

export const askRestore = (by: Client, id: string): Promise<Answer> => by.post(restorePath(id))

/** Undoes a delete and waits for the end, in a portal with a worker. */
export async function restored(by: Member, id: string): Promise<DeleteRecord> {
  expect(await askRestore(by, id)).toMatchObject({ status: 202, body: { _id: id, restore: { status: 'waiting' } } })
  const hasEnded = async () => (await readDelete(by, id)).restore?.status !== 'waiting' && !(await isRunning(by, id))
  await vi.waitUntil(hasEnded, { timeout: 30_000, interval: 20 })
  return readDelete(by, id)
}
const isRunning = async (by: Member, id: string) => (await readDelete(by, id)).restore?.status === 'processing'

/** Runs the job that undoes a delete, in a portal without a worker. */
export async function runRestoreOf(
  portal: TestPortal,
  { account }: Member,
  id: string,
  signal = new AbortController().signal,
): Promise<void> {
  await runRestore(portal.parts, account, id, signal)
}

export const missingOf = async (by: Client, id: string): Promise<MissingRecords['missing']> =>
  (await by.get(restorePath(id))).json<MissingRecords>().missing

const tables = [
  'contacts',
  'contact_keys',
  'events',
  'contact_changes',
  'written_texts',
  'import_changes',
  'merged_keys',
]

/** Returns all rows of contacts, by table, without the moment of the last change and columns without a value. */
export async function allRows(portal: TestPortal, { account }: Member): Promise<Record<string, string[]>> {
  const { pool } = portal.parts.database
  const { rows: parts } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = $1 AND table_name ~ '^contacts_[0-9]+$' ORDER BY 1`,
    [`account_${account}`],
  )
  const found: Record<string, string[]> = {}
  for (const table of [...tables, ...parts.map(({ name }) => name)]) {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT (jsonb_strip_nulls(to_jsonb(t)) - 'updated_at')::text AS row FROM account_${account}.${table} AS t ORDER BY 1`,
    )
    found[table] = rows.map(({ row }) => row)
  }
  return found
}

/** Returns how many rows of deletes are kept. */
export async function countKept(portal: TestPortal, { account }: Member): Promise<number> {
  const { rowCount } = await portal.parts.database.pool.query(`SELECT FROM account_${account}.deleted_rows`)
  return rowCount ?? 0
}
