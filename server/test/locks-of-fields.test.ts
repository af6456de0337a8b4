import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { makePolicy } from '#test/kit/administration.ts'
import { importFile } from '#test/resources/imports.ts'
import { createIndex, customIndexes } from '#test/resources/indexes.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Items that name fields are not saved while a field is renamed or deleted, and vice versa.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const service = '/contact-service/v1'

const ownerOf = async (): Promise<Member> => {
  const owner = await portal.member(await portal.account())
  await importFile(portal, owner, 'Email,City\na@x,Bern\n')
  return owner
}

/**
 * Runs `call` while the lock is held elsewhere, then `meanwhile`; returns the reply that comes after the lock is free.
 */
async function whileHeld(
  { account }: Member,
  name: Parameters<typeof accountLock>[0],
  call: () => Promise<Answer>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Answer> {
  const { pool } = portal.parts.database
  const holder = await pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT pg_advisory_xact_lock($1)', [String(accountLock(name, account))])
  const answer = call()
  await vi.waitUntil(async () => (await lockWaits(pool)).some((text) => text.includes('advisory')), { timeout: 20_000 })
  await meanwhile()
  await holder.query('COMMIT')
  holder.release()
  return answer
}

test.each(['customIndexes', 'importDefaults'] as const)('renaming a field waits while %s are saved', async (lock) => {
  const owner = await ownerOf()
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  const city = fields.find(({ name }) => name === 'City')?._id
  const renamed = await whileHeld(owner, lock, () => owner.put(`${service}/fields/${city}`, { name: 'Town' }))
  expect(renamed).toMatchObject({ status: 200, body: { name: 'Town' } })
})

test('an index is refused if its field is deleted in between', async () => {
  const owner = await ownerOf()
  const refused = await whileHeld(
    owner,
    'customIndexes',
    () => createIndex(owner, [['City', 1]]),
    () =>
      portal.parts.database.pool.query(
        `UPDATE account_${owner.account}.fields SET deleted_at = now() WHERE name = 'City'`,
      ),
  )
  expect(refused).toMatchObject({ status: 400 })
  expect(await customIndexes(owner)).toEqual([])
})

test('import defaults are saved once a field has been renamed', async () => {
  const owner = await ownerOf()
  const defaults = { purlColumns: [], dedupColumns: ['City'], notificationEmails: [] }
  const path = `${service}/configuration`
  expect(await whileHeld(owner, 'importDefaults', () => owner.put(path, defaults))).toMatchObject({ status: 200 })
})

test('people of other accounts change rights while a change of a field waits for a lock of its account', async () => {
  const owner = await ownerOf()
  const admin = await portal.powerAdmin()
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  const city = fields.find(({ name }) => name === 'City')?._id
  const renamed = await whileHeld(
    owner,
    'unendedImports',
    () => owner.put(`${service}/fields/${city}`, { name: 'Town' }),
    async () => {
      for (const name of ['First', 'Second', 'Third']) await makePolicy(admin, name)
    },
  )
  expect(renamed).toMatchObject({ status: 200, body: { name: 'Town' } })
})
