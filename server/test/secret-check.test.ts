import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '#platform/database.ts'
import type { KeyRing } from '#platform/keys/key-ring.ts'
import { createLog } from '#platform/log.ts'
import { replaceLostKey, requireKeyOfDatabase, resealAll } from '../src/sealed-columns.ts'
import { codeOf } from '#test/stand-ins/authenticator.ts'
import { createTestDatabase } from '#test/kit/database.ts'
import { openPortal, testPassword } from '#test/kit/portal.ts'
import { portalFolder } from '#test/processes/running-portal.ts'

// Portals that start with the secret key of their database, or with another one.

const first = 'the secret of the first year, long enough'
const second = 'the secret of the second year, long enough'
const foreign = 'the secret of another portal, long enough'
const by = { actor: 'command line', address: null, via: { kind: 'command-line' as const } }

let created: Awaited<ReturnType<typeof createTestDatabase>>
let database: Database

beforeAll(async () => {
  created = await createTestDatabase()
  database = openDatabase(created.url, createLog({ level: 'silent' }))
})
afterAll(async () => {
  await database.close()
  await created.drop()
})

const start = (...keys: KeyRing) => requireKeyOfDatabase(database.db, keys)
const refused = expect.objectContaining({ name: 'ConfigError', message: expect.stringContaining('SECRET_KEY is not') })
const reseal = async (...keys: KeyRing) => {
  for await (const done of resealAll(database.db, keys, by)) expect(done.unreadable).toBe(0)
}

test('only one of several simultaneous first starts sets the key of a database', async () => {
  const starts = await Promise.allSettled([start(first), start(second), start(foreign)])
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const failed = starts.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(failed).toEqual([refused, refused])
  await database.pool.query('DELETE FROM portico.secret_check')
})

test('another key is refused, until it replaces the earlier one in the documented way', async () => {
  await start(first)
  await start(first)
  await expect(start(second)).rejects.toEqual(refused)
  await start(second, first)
  // Secrets still have the earlier key.
  await expect(start(second)).rejects.toEqual(refused)
  await reseal(second, first)
  await start(second)
  await start(second, first)
  await expect(start(first)).rejects.toEqual(refused)
})

test('a database of an earlier release accepts only a key that decrypts its secrets', async () => {
  const folder = await portalFolder()
  const portal = await openPortal(folder.dataDir, database.url, { secretKey: [second] })
  const member = await portal.member(await portal.account())
  await member.post('/identity/v1/profile/two-factor', { password: testPassword })
  await database.pool.query('DELETE FROM portico.secret_check')
  await expect(start(foreign)).rejects.toEqual(refused)
  expect((await database.pool.query('SELECT 1 FROM portico.secret_check')).rowCount).toBe(0)
  await start(second)
  await expect(start(foreign)).rejects.toEqual(refused)
  await portal.close()
  await folder.remove()
})

test('after a lost key was replaced, a sign-in with a code explains what to do', async () => {
  const folder = await portalFolder()
  const two = '/identity/v1/profile/two-factor'
  const portal = await openPortal(folder.dataDir, database.url, { secretKey: [second] })
  const member = await portal.member(await portal.account())
  const { secret } = (await member.post(two, { password: testPassword })).json<{ secret: string }>()
  await member.post(`${two}/confirmation`, { code: codeOf(secret) })
  await portal.close()
  await replaceLostKey(database.db, [foreign], by)
  await start(foreign)
  const later = await openPortal(folder.dataDir, database.url, { secretKey: [foreign] })
  const login = '/identity/v1/login'
  const { token } = (await later.anonymous.post(login, { email: member.email, password: testPassword })).json<{
    token: string
  }>()
  const answer = await later.anonymous.post(login, { token, code: codeOf(secret) })
  expect(answer).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
  expect(answer.json<{ error: { message: string } }>().error.message).toContain('reset your two-factor authentication')
  await later.close()
  await folder.remove()
})

test('a process with another key, as after a restore without DATA_DIR, ends with one line', async () => {
  const own = await createTestDatabase()
  const [home, elsewhere] = [await portalFolder(), await portalFolder()]
  try {
    const settings = { DATABASE_URL: own.url }
    const running = await home.start(settings)
    await running.ready()
    const wrong = await elsewhere.start(settings)
    expect(await wrong.ended()).toBe(1)
    expect(wrong.output()).toMatch(/^SECRET_KEY is not the one .* "portico secrets replace-lost-key"\.\n$/)
    const key = (await readFile(join(home.dataDir, 'secret-key'), 'utf8')).trim()
    const right = await elsewhere.start({ ...settings, SECRET_KEY: key })
    await right.ready()
    expect((await fetch(`${right.url}/readyz`)).status).toBe(200)
  } finally {
    await elsewhere.remove()
    await home.remove()
    await own.drop()
  }
})
