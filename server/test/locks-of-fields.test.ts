import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { accountLock, portalLock } from '#platform/waits/lock-keys.ts'
import { makePolicy } from '#test/kit/administration.ts'
import { grant, identityOf } from '#test/resources/access.ts'
import { addCron } from '#test/resources/crons.ts'
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

/** Returns the reply to `call`, which is made while another connection runs and keeps open `statement`. */
async function whileOpen(
  statement: string,
  call: () => Promise<Answer>,
  waitsFor: string,
  meanwhile: () => Promise<unknown>,
): Promise<Answer> {
  const { pool } = portal.parts.database
  const holder = await pool.connect()
  await holder.query('BEGIN')
  await holder.query(statement)
  const isWaiting = async () => (await lockWaits(pool)).some((text) => text.includes(waitsFor))
  try {
    const answer = call()
    await vi.waitUntil(isWaiting, { timeout: 20_000 })
    await meanwhile()
    expect(await isWaiting()).toBe(true)
    await holder.query('COMMIT')
    return await answer
  } finally {
    holder.release()
  }
}

const cityOf = async (owner: Member): Promise<string> => {
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  return `${service}/fields/${fields.find(({ name }) => name === 'City')?._id}`
}
const changes: [string, (owner: Member, path: string) => Promise<Answer>][] = [
  ['renaming', (owner, path) => owner.put(path, { name: 'Town' })],
  ['deleting', (owner, path) => owner.delete(`${path}?uses=1`)],
  ['retyping', (owner, path) => owner.put(`${path}/type`, { reading: { type: 'number' }, broken: 0 })],
]

test.each(changes)('people of other accounts change rights while %s a field reads crons', async (what, change) => {
  const owner = await ownerOf()
  await addCron(owner, { instruction: { name: 'Daily', delimiter: 'csv', exportFields: ['City'] } })
  const admin = await portal.powerAdmin()
  const path = await cityOf(owner)
  const changed = await whileOpen(
    'LOCK TABLE portico.crons IN ACCESS EXCLUSIVE MODE',
    () => change(owner, path),
    'instruction::text',
    async () => {
      for (const name of ['First', 'Second', 'Third']) await makePolicy(admin, `${name} while ${what}`)
    },
  )
  expect(changed).toMatchObject({ status: 200 })
})

/** Gives a member of the account, on another connection, a policy that names the field. */
const namePolicy = async ({ account }: Member): Promise<string> => {
  const limited = await portal.member(account)
  const conditions = ['body::exportFields::nin::City']
  return grant(portal, await identityOf(portal, limited), { actions: ['contact-service::exports::post'], conditions })
}
const holdRights = `SELECT pg_advisory_xact_lock(${portalLock('access')})`

test('a policy that is saved just before the rights are locked follows the new name of its field', async () => {
  const owner = await ownerOf()
  const path = await cityOf(owner)
  let policy = ''
  const renamed = await whileOpen(
    holdRights,
    () => owner.put(path, { name: 'Town' }),
    'advisory',
    async () => {
      policy = await namePolicy(owner)
    },
  )
  expect(renamed).toMatchObject({ status: 200 })
  const { rows } = await portal.parts.database.pool.query('SELECT conditions FROM portico.policies WHERE id = $1', [
    policy,
  ])
  expect(rows).toEqual([{ conditions: ['body::exportFields::nin::Town'] }])
})

test('a policy that is saved just before the rights are locked keeps its field from being deleted', async () => {
  const owner = await ownerOf()
  const path = await cityOf(owner)
  const asked = () => owner.delete(`${path}?uses=0`)
  const refused = await whileOpen(holdRights, asked, 'advisory', () => namePolicy(owner))
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
})
