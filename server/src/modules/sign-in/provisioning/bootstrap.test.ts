import { createIdentityWithPassword } from './identity-with-password.service.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, listAccounts } from '#accounts'
import { bootstrap } from './bootstrap.service.ts'
import { ConfigError } from '#platform/config.ts'
import { openDatabase } from '#platform/database.ts'
import { chooseOwnPassword } from '#test/kit/own-password.ts'
import { startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

describe('createIdentity', () => {
  test('refuses an invalid email, an account that does not exist, and a second identity', async () => {
    const { db } = portal.parts.database
    const account = await portal.account()
    const draft = { email: 'ada@example.com', account, powerUser: false }
    await expect(createIdentityWithPassword(db, { ...draft, email: 'ada' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(createIdentityWithPassword(db, { ...draft, account: 999_999 })).rejects.toMatchObject({
      code: 'not_found',
    })
    await createIdentityWithPassword(db, draft)
    await expect(createIdentityWithPassword(db, { ...draft, email: 'ADA@example.com' })).rejects.toMatchObject({
      code: 'name_taken',
    })
  })

  test('leaves nothing behind when it is refused', async () => {
    const { db, pool } = portal.parts.database
    const draft = { email: 'gone@example.com', account: 999_999, powerUser: false }
    await expect(createIdentityWithPassword(db, draft)).rejects.toThrow('Account 999999 does not exist.')
    const { rowCount } = await pool.query(`SELECT FROM portico.persons WHERE email = 'gone@example.com'`)
    expect(rowCount).toBe(0)
  })

  test('is recorded in the audit log, without the password', async () => {
    const { database } = portal.parts
    const who = { actor: 'root@example.com', address: '10.0.0.1' }
    const by = { ...who, via: { kind: 'session' as const } }
    const account = await createAccount(database, { name: 'Audited', parent: null }, by)
    const identity = { email: 'eve@example.com', account, powerUser: true, password: testPassword }
    await createIdentityWithPassword(database.db, identity, by)
    const { rows } = await database.pool.query(
      'SELECT actor, action, subject, details, address FROM portico.audit_log WHERE account_id = $1 ORDER BY id',
      [account],
    )
    expect(rows).toEqual([
      { ...who, action: 'account created', subject: 'Audited', details: { parent: null, timeZone: 'UTC' } },
      {
        ...who,
        action: 'identity created',
        subject: 'eve@example.com',
        details: { powerAdmin: false, powerUser: true },
      },
    ])
  })
})

describe('bootstrap', () => {
  let empty: TestPortal
  const settings = {
    company: 'Example Company',
    product: 'Examplary',
    adminEmail: 'root@example.com',
    adminPassword: null,
  }

  beforeAll(async () => {
    empty = await startPortal()
  })
  afterAll(() => empty.close())

  const signIn = (password: string) =>
    empty.anonymous.post('/identity/v1/login', { email: 'root@example.com', password })

  test('in two processes at once creates one account and one power admin, who signs in with a chosen password', async () => {
    const { database, log } = empty.parts
    const other = openDatabase(database.url, log)
    const results = await Promise.all([bootstrap(database, settings), bootstrap(other, settings)])
    await other.close()
    const [made, ...none] = results.filter((result) => result !== null)
    expect(none).toEqual([])
    expect(made).toEqual({ email: 'root@example.com', password: expect.stringMatching(/^\w{20}$/) })
    const password = await chooseOwnPassword(empty, { email: 'root@example.com', password: made?.password ?? '' })
    const reply = await signIn(password)
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ user: { isPowerAdmin: true }, accounts: [{ Key: 1, Value: 'Example Company' }] })
  })

  test('changes nothing at the next start', async () => {
    const { database } = empty.parts
    expect(await bootstrap(database, { ...settings, adminPassword: 'another password' })).toBeNull()
    expect((await signIn('another password')).status).toBe(401)
    expect(await listAccounts(database.db)).toHaveLength(1)
  })

  test.each([
    ['Passw0rd2026!', 'This is one of the most common passwords. Choose another one.'],
    ['Examplary2026', 'Your password must be more than the name of this portal.'],
  ])('refuses the configured password %j, with a message for the operator', async (adminPassword, reason) => {
    const fresh = await startPortal()
    await expect(bootstrap(fresh.parts.database, { ...settings, adminPassword })).rejects.toThrow(
      new ConfigError(`PORTICO_ADMIN_PASSWORD is refused: ${reason}`),
    )
    await fresh.close()
  })

  test('takes the password from the settings, and then prints none', async () => {
    const third = await startPortal()
    const { database } = third.parts
    expect(await bootstrap(database, { ...settings, adminPassword: 'a given password' })).toBeNull()
    const credentials = { email: 'root@example.com', password: 'a given password' }
    expect((await third.anonymous.post('/identity/v1/login', credentials)).status).toBe(200)
    await third.close()
  })
})
