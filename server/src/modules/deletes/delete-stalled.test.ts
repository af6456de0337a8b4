import type { DeleteRecord } from '@portico/contract/deletes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDelete } from '#deletes'
import { JobInterrupted } from '#platform/jobs/jobs.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addContacts } from '#test/resources/contacts.ts'

// Bulk deletes that fail each time for a reason that the portal does not know.

let portal: TestPortal
let member: Member
let schema: string

beforeAll(async () => {
  // No worker in this process: the tests run the jobs themselves.
  portal = await startPortal()
  const account = await portal.account()
  member = await portal.member(account)
  schema = `account_${account}`
  await addContacts(portal.parts.database, account, { Name: 'string' }, [{ Name: 'Ada' }, { Name: 'Eve' }])
})
afterAll(() => portal.close())

const query = (text: string) => portal.parts.database.pool.query(text)
const remove = () => member.delete('/contact-service/v1/offers', { filter: [], deletedRecords: 2 })
const last = async () => (await member.get('/contact-service/v1/deletes')).json<DeleteRecord[]>()[0]
const attempt = async (signal = new AbortController().signal) =>
  runDelete(portal.parts, member.account, (await last())?._id ?? '', signal)

test.each([
  ['its contacts', 'contacts', 'ROW'],
  ['what its end removes, too', 'events', 'STATEMENT'],
])(
  'a delete that fails at %s is rejected after some attempts, and can be requested again',
  async (_at, table, each) => {
    await query(
      `CREATE OR REPLACE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
     $$BEGIN RAISE EXCEPTION 'a damaged page'; END$$`,
    )
    await query(
      `CREATE TRIGGER refuse BEFORE DELETE ON ${schema}.${table} FOR EACH ${each} EXECUTE FUNCTION ${schema}.refuse()`,
    )
    expect(await remove()).toMatchObject({ status: 500 })
    // An attempt of a worker that stops does not count.
    for (let stops = 0; stops < 5; stops++) {
      await expect(attempt(AbortSignal.abort())).rejects.toThrow(JobInterrupted)
    }
    for (let more = 1; more < 5; more++) await expect(attempt()).rejects.toThrow('a damaged page')
    expect(await last()).toMatchObject({ status: 'processing', processedRecords: 0 })
    expect(await remove()).toMatchObject({ status: 409, body: { error: { code: 'delete_in_progress' } } })
    await attempt()
    expect(await last()).toMatchObject({
      status: 'rejected',
      processedRecords: 0,
      reason: 'Failed after 5 attempts. The remaining contacts are kept; they can be deleted again.',
    })
    await query(`DROP TRIGGER refuse ON ${schema}.${table}`)
    expect((await member.get('/contact-service/v1/offers?count=1')).body).toEqual({ count: 2 })
  },
)

test('the next delete of the same contacts deletes them', async () => {
  expect(await remove()).toMatchObject({ status: 200, body: { deletedCount: 2 } })
})
