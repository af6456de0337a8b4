import type { AccountEntry } from '@portico/contract/accounts'
import type { User } from '@portico/contract/sign-in'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sendInvitation } from './person-links.service.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { invite, messagesTo, secretIn, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Answer, startPortal, type TestPortal } from '#test/kit/portal.ts'

type Registered = { token: string; user: User; accounts: AccountEntry[] }

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal({
    company: 'Example Company',
    product: 'Example',
    publicUrl: 'https://portal.example.com',
  })
  await portal.startWorker()
})
afterAll(() => portal.close())

const password = 'a rather long password'
const look = (invitation: string) => portal.anonymous.post('/identity/v1/invitations', { invitation })
const register = (invitation: string, changes: object = {}): Promise<Answer> =>
  portal.anonymous.post('/identity/v1/register', { invitation, password, userName: 'Ada Lovelace', ...changes })
const run = async (sql: string, ...values: unknown[]) => (await portal.parts.database.pool.query(sql, values)).rows

async function invited(email: string, account: number | null): Promise<string> {
  await invite(portal, email, account)
  return secretIn(await waitForMessage(portal, email))
}

describe('an invitation', () => {
  test('names the inviter, the account and what to do, as text and HTML', async () => {
    await invite(portal, 'ada@example.com', await portal.account('Analytical Engines'))
    const message = await waitForMessage(portal, 'ada@example.com')
    expect(message.subject).toBe('You are invited to Example')
    expect(message.from).toEqual({ name: 'Example Company', address: 'no-reply@portal.example.com' })
    expect(message.text?.split('\n\n').slice(0, 2)).toEqual([
      'You have been invited to work in an account on Example.',
      'Account: “Analytical Engines”\nInvited by: “grace@example.com”',
    ])
    expect(message.text).toMatch(/https:\/\/portal\.example\.com\/register#invitation=[\w-]{43}\n/)
    expect(message.html).toContain(`https://portal.example.com/register#invitation=${secretIn(message)}"`)
  })

  test('quotes texts of users so that they do not become links, and shows invisible characters', async () => {
    const name = 'Win at https://evil.example/now \u202Etxet'
    await invite(portal, 'eve@example.com', await portal.account(name))
    const { subject, text = '', html = '' } = await waitForMessage(portal, 'eve@example.com')
    expect(subject).toBe('You are invited to Example')
    const quoted = 'Account: “Win at https:\u2060/\u2060/\u2060evil.\u2060example/\u2060now \\u202Etxet”'
    expect(text.split('\n\n')[1]).toBe(`${quoted}\nInvited by: “grace@example.com”`)
    expect(html).toContain(`${quoted}<br>Invited by: “grace@example.com”`)
    expect(text + html).not.toMatch(/evil\.example|\u202E/)
  })

  test('shows its recipient and inviter, and lets the person choose a password and a name, once', async () => {
    const account = await portal.account('First')
    const secret = await invited('bob@example.com', account)
    const shown = await look(secret)
    expect((await portal.anonymous.get(`/identity/v1/invitations/${secret}`)).body).toEqual(shown.body)
    const told = { email: 'bob@example.com', userName: null, accounts: ['First'], invitedBy: 'grace@example.com' }
    expect(shown.body).toMatchObject(told)
    const { expiresAt } = shown.json<{ expiresAt: string }>()
    expect((Date.parse(expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(7, 2)
    const answer = await register(secret)
    expect(answer.status).toBe(200)
    const { token, user, accounts } = answer.json<Registered>()
    expect(user).toMatchObject({ email: 'bob@example.com', userName: 'Ada Lovelace', account: null })
    expect(accounts).toEqual([{ Key: account, Value: 'First' }])
    expect((await portal.holder(token).get(`/identity/v1/login/${account}`)).status).toBe(200)
    expect((await portal.anonymous.post('/identity/v1/login', { email: 'bob@example.com', password })).status).toBe(200)
    for (const used of [await look(secret), await register(secret, { password: 'another long password' })]) {
      expect(used).toMatchObject({ status: 403, body: { error: { code: 'link_invalid' } } })
    }
    expect(await run(`SELECT account_id, actor FROM portico.audit_log WHERE action = 'invitation accepted'`)).toEqual([
      { account_id: account, actor: 'bob@example.com' },
    ])
  })

  test('to all accounts says so', async () => {
    const secret = await invited('root@example.com', null)
    expect((await look(secret)).body).toMatchObject({ accounts: ['All accounts'] })
    expect((await register(secret)).json<Registered>().user.isPowerAdmin).toBe(false)
  })

  test('is stored only as a hash, and never in a job', async () => {
    const secret = await invited('cleo@example.com', await portal.account())
    const rows = await run('SELECT l::text AS row FROM portico.person_links l')
    const jobs = await run(`SELECT data::text AS row FROM jobs.job WHERE name LIKE 'send-%'`)
    expect(rows).not.toHaveLength(0)
    expect(jobs).not.toHaveLength(0)
    expect(JSON.stringify([rows, jobs])).not.toContain(secret)
  })

  test('expires after seven days, is replaced by the next one, and is invalid if modified', async () => {
    const account = await portal.account()
    const first = await invited('dora@example.com', account)
    await invite(portal, 'dora@example.com', account)
    const second = secretIn(await waitForMessage(portal, 'dora@example.com', 2))
    expect((await look(first)).status).toBe(403)
    expect((await look(second)).status).toBe(200)
    const changed = second.slice(0, -2) + (second.endsWith('AA') ? 'BB' : 'AA')
    expect((await look(changed)).status).toBe(403)
    await run(`UPDATE portico.person_links SET expires_at = expires_at - interval '7 days 1 second'`)
    expect((await look(second)).body).toMatchObject({ error: { code: 'link_invalid' } })
    expect((await register(second)).body).toMatchObject({ error: { code: 'link_invalid' } })
  })

  test('cannot be used to reset a password', async () => {
    const secret = await invited('emil@example.com', await portal.account())
    const reset = await portal.anonymous.post('/identity/v1/reset-password', { link: secret, password })
    expect(reset.body).toMatchObject({ error: { code: 'link_invalid' } })
    expect((await look(secret)).status).toBe(200)
  })

  test('is accepted by only one of two simultaneous attempts', async () => {
    const secret = await invited('fay@example.com', await portal.account())
    const answers = await Promise.all([register(secret), register(secret)])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 403])
  })

  test('is not used up if the password or the name is refused, or no account is open', async () => {
    const account = await portal.account()
    const secret = await invited('gus@example.com', account)
    const problem = async (changes: object) => (await register(secret, changes)).body
    expect(await problem({ password: 'short' })).toMatchObject({
      error: { details: [{ field: 'password', message: 'Use at least 8 characters.' }] },
    })
    expect(await problem({ userName: '  ' })).toMatchObject({ error: { details: [{ field: 'userName' }] } })
    expect(await problem({ password: 'ada lovelace 1815' })).toMatchObject({
      error: { details: [{ field: 'password', message: 'Your password must not contain your name.' }] },
    })
    await run('UPDATE portico.identities SET is_disabled = true WHERE account_id = $1', account)
    expect(await problem({})).toMatchObject({ error: { code: 'no_account' } })
    await run('UPDATE portico.identities SET is_disabled = false WHERE account_id = $1', account)
    expect((await register(secret)).status).toBe(200)
  })

  test('asks a person who has a password to sign in and accept', async () => {
    const member = await portal.member(await portal.account())
    await invite(portal, member.email, await portal.account('Second'))
    const message = await waitForMessage(portal, member.email)
    expect(message.subject).toBe('You are invited to an account on Example')
    expect(message.text).toContain('Account: “Second”\nInvited by: “grace@example.com”')
    expect(message.text).toContain('Sign in as usual to accept or decline.')
    expect(secretIn(message)).toBe('')
    expect(
      await run(
        'SELECT 1 FROM portico.person_links l JOIN portico.persons p ON p.id = person_id WHERE email = $1',
        member.email,
      ),
    ).toEqual([])
  })
})

describe('the invitation job', () => {
  test('sends at most one more email if it is killed after the first, whose link then stops working', async () => {
    const account = await portal.account()
    const personId = await invite(portal, 'ida@example.com', account)
    await waitForMessage(portal, 'ida@example.com')
    const { mail } = portal.parts
    const killed = {
      send: async (message: Parameters<typeof mail.send>[0]) => {
        await mail.send(message)
        throw new Error('killed')
      },
    }
    const data = { personId, account }
    await expect(sendInvitation({ ...portal.parts, mail: killed }, data)).rejects.toThrow('killed')
    await sendInvitation(portal.parts, data)
    const secrets = (await messagesTo(portal, 'ida@example.com')).map(secretIn)
    const states = await Promise.all(secrets.map(async (secret) => (await look(secret)).status))
    expect(states).toEqual([403, 403, 200])
  })

  test('does nothing for a person who no longer exists', async () => {
    await sendInvitation(portal.parts, { personId: crypto.randomUUID(), account: null })
    const personId = await invite(portal, 'jon@example.com', await portal.account())
    await waitForMessage(portal, 'jon@example.com')
    await sendInvitation(portal.parts, { personId, account: 999_999 })
    expect(await messagesTo(portal, 'jon@example.com')).toHaveLength(1)
  })
})

describe('with a mail server', () => {
  let server: MailServer
  let mailing: TestPortal

  beforeAll(async () => {
    server = await startMailServer()
    mailing = await startPortal({ smtpUrl: server.url })
    await mailing.startWorker()
  })
  afterAll(async () => {
    await mailing.close()
    await server.close()
  })

  const arrived = (count: number) =>
    vi.waitFor(() => expect(server.received).toHaveLength(count), { timeout: 20_000, interval: 50 })

  test('a message refused temporarily is sent again automatically', async () => {
    server.refuse({ code: 451, message: 'Try later' })
    await invite(mailing, 'kim@example.com', await mailing.account())
    const attempts = async () => {
      const { rows } = await mailing.parts.database.pool.query<{ retry_count: number }>(
        `SELECT retry_count FROM jobs.job WHERE name = 'send-invitation'`,
      )
      return rows[0]?.retry_count ?? 0
    }
    await vi.waitFor(async () => expect(await attempts()).toBeGreaterThan(0), { timeout: 20_000, interval: 100 })
    server.refuse(null)
    await arrived(1)
    const secret = secretIn({ text: server.received[0]?.message.text ?? '' })
    expect((await mailing.anonymous.get(`/identity/v1/invitations/${secret}`)).status).toBe(200)
  })

  test('a message refused permanently is given up, and later ones are sent', async () => {
    server.received.length = 0
    server.refuse({ code: 550, message: 'Nobody here' })
    const account = await mailing.account()
    await invite(mailing, 'lea@example.com', account)
    const states = async () => {
      const { rows } = await mailing.parts.database.pool.query<{ state: string }>(
        `SELECT state FROM jobs.job WHERE name = 'send-invitation' ORDER BY created_on`,
      )
      return rows.map(({ state }) => state)
    }
    await vi.waitFor(async () => expect((await states()).at(-1)).toBe('completed'), { timeout: 20_000, interval: 100 })
    expect(server.received).toEqual([])
    server.refuse(null)
    await invite(mailing, 'lea@example.com', account)
    await arrived(1)
  })
})
