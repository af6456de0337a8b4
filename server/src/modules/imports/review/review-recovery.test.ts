import type { ImportReview } from '@portico/contract/import-review'
import type { NewImport } from '@portico/contract/imports'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { importWorkers } from '#test/processes/import-workers.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { askForReview, reviewsPath } from '#test/resources/reviews.ts'

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the tests start their own and kill it.
  portal = await startPortal()
})
afterAll(() => portal.close())

type State = { status: string; phase: string | null }

async function stateOf({ account }: Member, id: string): Promise<State> {
  const { rows } = await portal.parts.database.pool.query<State>(
    `SELECT status, phase FROM account_${account}.import_reviews WHERE id = $1`,
    [id],
  )
  return rows[0] ?? { status: 'gone', phase: null }
}

const { killWhen, start } = importWorkers(() => portal, stateOf)

const people = Array.from({ length: 60_000 }, (_, at) => `person${at}@example.com`)
const file = `Email,Name\n${people.map((email) => `${email},New`).join('\n')}\n`
const settings: Partial<NewImport> = { dedupColumns: ['Email'] }

async function workingTables({ account }: Member): Promise<string[]> {
  const { rows } = await portal.parts.database.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename LIKE 'stage%'`,
    [`account_${account}`],
  )
  return rows.map(({ name }) => name)
}

test('a review whose worker is killed starts again, counts the same, and leaves nothing behind', async () => {
  const member = await portal.member(await portal.account())
  const { _id } = await askForReview(portal, member, file, settings)
  for (const phase of ['staging', 'matching'])
    expect(await killWhen(member, _id, (now) => now.phase === phase)).toBe(true)
  const finished = await vi.waitUntil(
    async () => {
      // The lock of the dead process may still be held when the first new one starts.
      await once(start(member, _id), 'exit')
      const now = (await member.get(`${reviewsPath}/${_id}`)).json<ImportReview>()
      return now.status === 'completed' ? now : null
    },
    { timeout: 60_000, interval: 200 },
  )
  expect(finished.outcome).toMatchObject({ totalRecords: people.length, createdRecords: people.length })
  expect(await workingTables(member)).toEqual([])
  expect(await contactsOf(member)).toEqual([])
})

test('a review deleted while it runs stops, and leaves nothing behind', async () => {
  const member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { Email: 'string' }, [{ Email: 'a@example.com' }])
  const { _id } = await askForReview(portal, member, file)
  const worker = start(member, _id)
  const exited = once(worker, 'exit')
  await vi.waitUntil(async () => (await stateOf(member, _id)).phase === 'staging', { timeout: 30_000, interval: 5 })
  expect(await member.delete(`${reviewsPath}/${_id}`)).toMatchObject({ status: 204 })
  await exited
  expect(await workingTables(member)).toEqual([])
  expect(await contactsOf(member)).toHaveLength(1)
})
