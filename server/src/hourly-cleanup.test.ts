import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { cleanUpAccounts } from './hourly-cleanup.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

test('an account whose cleanup fails does not block the cleanup of others', async () => {
  const broken = await portal.account()
  const owner = await portal.member(await portal.account())
  const { pool } = portal.parts.database
  await pool.query(
    `DROP TABLE account_${broken}.deleted_rows, account_${broken}.import_reviews, account_${broken}.fields`,
  )
  await addContacts(portal.parts.database, owner.account, { Name: 'string' }, [{ Name: 'Ada' }])
  const gone = await owner.delete('/contact-service/v1/offers', { filter: [], deletedRecords: 1 })
  expect(gone).toMatchObject({ status: 200 })
  const rows = async () =>
    (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM account_${owner.account}.deleted_rows`)).rows[0]?.n
  await cleanUpAccounts(portal.parts)
  expect(await rows()).toBeGreaterThan(0)
  await pool.query(`UPDATE account_${owner.account}.deletes SET completed_at = now() - interval '31 days'`)
  await cleanUpAccounts(portal.parts)
  expect(await rows()).toBe(0)
})

test('indexes that no search has used are dropped by a job', async () => {
  const account = await portal.account()
  const { pool } = portal.parts.database
  await addContacts(portal.parts.database, account, { Name: 'string' }, [])
  await pool.query(
    `INSERT INTO account_${account}.indexes (id, name, name_key, kind, field_1, order_1, is_unique, creator, created_at, state)
     VALUES (1, 'trigram 1', 'trigram 1', 'trigram', 1, 1, FALSE, '', now(), 'ready')`,
  )
  await cleanUpAccounts(portal.parts)
  expect((await pool.query(`SELECT state FROM account_${account}.indexes`)).rows).toEqual([{ state: 'deleting' }])
})
