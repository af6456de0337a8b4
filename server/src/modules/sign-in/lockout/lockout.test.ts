import { createIdentityWithPassword } from '../provisioning/identity-with-password.service.ts'
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { messagesTo, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'
import type * as Lockout from './lockout.service.ts'
import { isPasswordOf } from '../passwords/passwords.ts'

let portal: TestPortal
let account: number

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  await portal.startWorker()
})
afterAll(() => portal.close())

const run = async (sql: string, ...values: unknown[]) => (await portal.parts.database.pool.query(sql, values)).rows

async function addPerson(email: string): Promise<string> {
  await createIdentityWithPassword(portal.parts.database.db, {
    email,
    account,
    powerUser: false,
    password: testPassword,
  })
  return email
}

const guess = (email: string, remoteAddress = '127.0.0.1', password = 'wrong') =>
  portal.app.inject({ method: 'POST', url: '/api/identity/v1/login', payload: { email, password }, remoteAddress })

/** Adds `count` failures from an address some minutes ago, each for a different email. */
const failBefore = (address: string, count: number, minutes = 0) =>
  run(
    `INSERT INTO portico.login_failures (id, email, address, failed_at)
     SELECT gen_random_uuid(), 'guess-' || n || '@example.com', $1, now() - make_interval(mins => $3)
     FROM generate_series(1, $2::int) n`,
    address,
    count,
    minutes,
  )

describe('many guesses at the same time', () => {
  test('are evaluated exactly ten times, and other requests do not wait for them', async () => {
    const email = await addPerson('ada@example.com')
    let answered = 0
    const guesses = Array.from({ length: 50 }, async () => {
      const reply = await guess(email)
      answered++
      return reply.statusCode
    })
    const other = await portal.anonymous.get('/identity/v1/deployment')
    expect(other.status).toBe(200)
    expect(answered).toBeLessThan(10)
    const statuses = await Promise.all(guesses)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(40)
    expect((await guess(email, '127.0.0.1', testPassword)).statusCode).toBe(429)
  })

  test('are evaluated at most ten times across several processes', async () => {
    const {
      database: { db },
      jobs,
    } = portal.parts
    // Each instance has its own queue of attempts, like a process.
    const processes: (typeof Lockout)[] = []
    for (const _ of [1, 2, 3]) {
      vi.resetModules()
      processes.push(await import('./lockout.service.ts'))
    }
    expect(new Set(processes.map(({ attempt }) => attempt)).size).toBe(3)
    let judged = 0
    const wrong = async () => {
      judged++
      // As long as a real check takes, so that attempts of other processes overlap.
      await isPasswordOf(null, 'x')
      return null
    }
    const guessed = { email: 'bob@example.com', address: '192.0.2.2', device: '' }
    for (let round = 0; round < 5; round++) {
      const attempts = processes.flatMap(({ attempt }) =>
        [1, 2, 3, 4].map(() => attempt({ db, jobs }, guessed, wrong).catch(() => null)),
      )
      await Promise.all(attempts)
    }
    // One of the concurrent attempts in each process may be refused too early.
    expect(judged).toBeLessThanOrEqual(10)
    expect(judged).toBeGreaterThanOrEqual(8)
  })

  test('are refused if they would wait too long for a processor, and evaluated otherwise', async () => {
    const atOnce = Math.min(2, Math.max(1, availableParallelism() - 1))
    const checks = await Promise.allSettled(Array.from({ length: 150 }, () => isPasswordOf(null, 'x')))
    const refused = checks.filter((check) => check.status === 'rejected')
    expect(refused).toHaveLength(150 - 100 - atOnce)
    expect(refused[0]?.reason).toMatchObject({ code: 'too_many_requests' })
    expect(await isPasswordOf(null, 'x')).toBe(false)
  })

  test('do not count if they could not be evaluated', async () => {
    const { attempt } = await import('./lockout.service.ts')
    const guessed = { email: 'cleo@example.com', address: '192.0.2.3', device: '' }
    const { database, jobs } = portal.parts
    const broken = () => Promise.reject(new Error('broken'))
    for (let count = 0; count < 12; count++) {
      await expect(attempt({ db: database.db, jobs }, guessed, broken)).rejects.toThrow('broken')
    }
    expect(await run('SELECT 1 FROM portico.login_failures WHERE email = $1', guessed.email)).toEqual([])
  })
})

describe('an address', () => {
  test('is locked by the hundredth failure in fifteen minutes, for any emails; other addresses are not', async () => {
    const email = await addPerson('dora@example.com')
    await failBefore('192.0.2.10', 99)
    expect((await guess(email, '192.0.2.10', testPassword)).statusCode).toBe(200)
    expect((await guess('nobody@example.com', '192.0.2.10')).statusCode).toBe(401)
    const locked = await guess(email, '192.0.2.10', testPassword)
    expect(locked).toMatchObject({ statusCode: 429, headers: { 'retry-after': '900' } })
    expect(locked.json()).toMatchObject({ error: { code: 'too_many_attempts' } })
    expect((await guess(email, '192.0.2.11', testPassword)).statusCode).toBe(200)
  })

  test('is unlocked fifteen minutes after the last failure', async () => {
    const email = await addPerson('emil@example.com')
    await failBefore('192.0.2.20', 100, 14)
    expect((await guess(email, '192.0.2.20', testPassword)).statusCode).toBe(429)
    await run(
      `UPDATE portico.login_failures SET failed_at = failed_at - interval '1 minute' WHERE address = '192.0.2.20'`,
    )
    expect((await guess(email, '192.0.2.20', testPassword)).statusCode).toBe(200)
  })

  test('is not locked by failures that are further apart', async () => {
    const email = await addPerson('fay@example.com')
    await failBefore('192.0.2.30', 50, 16)
    await failBefore('192.0.2.30', 50)
    expect((await guess(email, '192.0.2.30', testPassword)).statusCode).toBe(200)
  })
})

describe('an IPv6 network', () => {
  test('counts as one address: failures from its machines add up, and those from others do not', async () => {
    const email = await addPerson('ines@example.com')
    for (let at = 1; at <= 10; at++) expect((await guess(email, `2001:db8:1:1:${at}::${at}`)).statusCode).toBe(401)
    expect((await guess(email, '2001:db8:1:1::ffff', testPassword)).statusCode).toBe(429)
    expect((await guess(email, '2001:db8:1:2::1', testPassword)).statusCode).toBe(200)
  })
})

describe('guesses at one email from many addresses', () => {
  /** Failures of the email some minutes ago, each from an address of its own. */
  const failOf = (email: string, count: number, minutes: number) =>
    run(
      `INSERT INTO portico.login_failures (id, email, address, failed_at)
       SELECT gen_random_uuid(), $1, '198.51.100.' || n, now() - make_interval(mins => $3)
       FROM generate_series(1, $2::int) n`,
      email,
      count,
      minutes,
    )
  const subjectsTo = async (email: string) => (await messagesTo(portal, email)).map(({ subject }) => subject)

  test('are slowed down to one a minute, and the person is notified once', async () => {
    const email = await addPerson('jo@example.com')
    await failOf(email, 99, 600)
    expect((await guess(email, '203.0.113.1')).statusCode).toBe(401)
    await waitForMessage(portal, email)
    for (const password of ['wrong', testPassword]) {
      const slowed = await guess(email, '203.0.113.2', password)
      expect(slowed).toMatchObject({ statusCode: 429, headers: { 'retry-after': '60' } })
      expect(slowed.json()).toMatchObject({
        error: {
          code: 'too_many_attempts',
          message: 'There were many failed attempts to sign in with this email. Try again in a minute.',
        },
      })
    }
    await run(`UPDATE portico.login_failures SET failed_at = failed_at - interval '1 minute' WHERE email = $1`, email)
    expect((await guess(email, '203.0.113.3')).statusCode).toBe(401)
    expect((await guess(email, '203.0.113.4', testPassword)).statusCode).toBe(429)
    expect(await run(`SELECT account_id, address FROM portico.audit_log WHERE action = 'sign-in slowed down'`)).toEqual(
      [{ account_id: account, address: '203.0.113.1' }],
    )
    expect(await subjectsTo(email)).toEqual(['Failed sign-ins with your email on Portico'])
  })

  test('do not block the person where they have signed in before, nor anyone else', async () => {
    const [email, other] = [await addPerson('kim@example.com'), await addPerson('lea@example.com')]
    expect((await guess(email, '203.0.113.9', testPassword)).statusCode).toBe(200)
    await failOf(email, 100, 0)
    expect((await guess(email, '203.0.113.10', testPassword)).statusCode).toBe(429)
    expect((await guess(email, '203.0.113.9', testPassword)).statusCode).toBe(200)
    expect((await guess(other, '203.0.113.10', testPassword)).statusCode).toBe(200)
  })

  test('that are concurrent are evaluated only up to the limit', async () => {
    const email = await addPerson('max@example.com')
    await failOf(email, 95, 600)
    const replies = await Promise.all(Array.from({ length: 20 }, (_, at) => guess(email, `203.0.114.${at}`)))
    expect(replies.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5)
    expect(replies.filter(({ statusCode }) => statusCode === 429)).toHaveLength(15)
  })
})

test('in a burst of sign-ins, those that would wait too long are refused', async () => {
  const guesses = Array.from({ length: 300 }, (_, at) => guess(`burst-${at}@example.com`, `198.18.${at % 250}.1`))
  const statuses = (await Promise.all(guesses)).map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(120)
  expect((await guess('burst-0@example.com', '198.18.0.2')).statusCode).toBe(401)
})

test('a network that floods the sign-in, with one email or many, does not block other networks', async () => {
  const email = await addPerson('nia@example.com')
  for (const flooded of [() => 'unknown@example.com', (at: number) => `unknown-${at}@example.com`]) {
    const flood = Promise.all(Array.from({ length: 300 }, (_, at) => guess(flooded(at), '198.19.0.1')))
    const others = await Promise.all(Array.from({ length: 12 }, () => guess(email, '198.19.0.2', testPassword)))
    expect(others.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200))
    expect(new Set((await flood).map(({ statusCode }) => statusCode))).toContain(429)
  }
})

test('an email guessed at from one network can still sign in from another', async () => {
  const email = await addPerson('oli@example.com')
  const flood = Promise.all(Array.from({ length: 300 }, () => guess(email, '198.19.1.1')))
  expect((await guess(email, '198.19.1.2', testPassword)).statusCode).toBe(200)
  expect((await flood).filter(({ statusCode }) => statusCode === 401)).toHaveLength(10)
})

describe('the audit log', () => {
  const locks = (subject: string) =>
    run(
      `SELECT account_id, actor, address FROM portico.audit_log WHERE action = 'sign-in locked' AND subject = $1`,
      subject,
    )

  test('has one entry in each account of the locked person', async () => {
    const email = await addPerson('gus@example.com')
    for (let count = 0; count < 13; count++) await guess(email.toUpperCase(), '192.0.2.40')
    expect(await locks(email)).toEqual([{ account_id: account, actor: 'portico', address: '192.0.2.40' }])
  })

  test('has an entry without an account for an unknown email, and for an address', async () => {
    for (let count = 0; count < 10; count++) await guess('ghost@example.com', '192.0.2.41')
    expect(await locks('ghost@example.com')).toEqual([{ account_id: null, actor: 'portico', address: '192.0.2.41' }])
    await failBefore('192.0.2.42', 99)
    await guess('ghost-2@example.com', '192.0.2.42')
    expect(await locks('192.0.2.42')).toEqual([{ account_id: null, actor: 'portico', address: '192.0.2.42' }])
  })
})
