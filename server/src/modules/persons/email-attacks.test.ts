import type { Identity } from '@portico/contract/identities'
import type { OwnInvitation } from '@portico/contract/own-identities'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emailKey } from '@portico/contract/email-address'
import { groupId, makeIdentity } from '#test/kit/administration.ts'
import { messagesTo, secretIn, waitForMessage } from '#test/stand-ins/mailbox.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Addresses that databases, mail servers and browsers read differently: each finds exactly the mailbox that mail is
// sent to.

const identities = '/identity/v1/identities'
const password = 'a rather long password'

let portal: TestPortal
let north: Member
let south: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  north = await portal.member(await portal.account('North'))
  south = await portal.member(await portal.account('South'))
})
afterAll(() => portal.close())

const draftOf = async (client: Client, email: string) => ({ email, groups: [await groupId(client, 'Power users')] })

/** Invites a person without a password, who accepts from their mailbox. Returns the address that mail was sent to. */
async function inviteAndRegister(admin: Client, email: string): Promise<{ mailbox: string; identity: Identity }> {
  const identity = await makeIdentity(admin, await draftOf(admin, email))
  const message = await waitForMessage(portal, identity.email)
  const registered = await portal.anonymous.post('/identity/v1/register', {
    invitation: secretIn(message),
    password,
    userName: 'Ada',
  })
  expect(registered).toMatchObject({ status: 200 })
  return { mailbox: message.to?.[0]?.address ?? '', identity }
}

const signIn = (email: string) => portal.anonymous.post('/identity/v1/login', { email, password })
const invitationsOf = async (client: Client) =>
  (await client.get('/identity/v1/profile/invitations')).json<OwnInvitation[]>()

describe('an address that resembles that of another person', () => {
  test('takes over nothing: an invitation to the real address goes to another person', async () => {
    const { mailbox, identity } = await inviteAndRegister(north, 'ceo@İnfo.victim.example')
    expect(identity.email).toBe('ceo@xn--info-qwc.victim.example')
    expect(mailbox).toBe('ceo@xn--info-qwc.victim.example')
    const attacker = portal.holder((await signIn('ceo@İnfo.victim.example')).json<{ token: string }>().token)

    const truth = await makeIdentity(south, await draftOf(south, 'ceo@info.victim.example'))
    expect(truth.email).toBe('ceo@info.victim.example')
    const message = await waitForMessage(portal, 'ceo@info.victim.example')
    expect(secretIn(message)).not.toBe('')
    expect(await invitationsOf(attacker)).toEqual([])
    expect(await messagesTo(portal, mailbox)).toHaveLength(1)
    expect(await signIn('ceo@info.victim.example')).toMatchObject({ status: 401 })
  })

  test('has its own failures, locks and password emails', async () => {
    await inviteAndRegister(north, 'cfo@info.other.example')
    for (let count = 0; count < 11; count++) {
      await portal.anonymous.post('/identity/v1/login', { email: 'cfo@İnfo.other.example', password: 'wrong' })
    }
    expect((await signIn('cfo@İnfo.other.example')).status).toBe(429)
    expect((await signIn('CFO@INFO.other.example')).status).toBe(200)
  })
})

test.each([
  'İstanbul@x.example',
  'STRASSE@straße.example',
  'ΣΊΣΥΦΟΣ@σίσυφος.example',
  'a\u0301da@mu\u0308nchen.example',
  '\u212Aelvin@x.example',
])('%s is invited in two accounts, accepts and signs in, in any equivalent spelling', async (email) => {
  const { identity } = await inviteAndRegister(north, email)
  expect(emailKey(identity.email)).toBe(emailKey(email))
  const again = await makeIdentity(south, await draftOf(south, ` ${email} `))
  expect(again).toMatchObject({ email: identity.email, status: 'invited' })
  const [local = '', domain = ''] = email.split('@')
  const typed = [
    email,
    `  ${email}\t`,
    `${local}@${domain.toUpperCase().replace('ΣΊΣΥΦΟΣ', 'Σίσυφος')}`,
    identity.email,
  ]
  for (const each of typed.filter((one) => emailKey(one) === emailKey(email))) {
    expect(await signIn(each)).toMatchObject({ status: 200, body: { user: { email: identity.email } } })
  }
  // Nothing waits for a lock that was never released.
  expect((await south.get(identities)).status).toBe(200)
})

test('two accounts that invite the same new person at the same time create one person', async () => {
  const emails = ['İzmir@x.example', ' izmir@X.example', 'IZMIR@x.example', 'İzmir@X.EXAMPLE']
  const made = await Promise.all(
    emails.map(async (email, at) => {
      const admin = at % 2 === 0 ? north : south
      return (await admin.post(identities, await draftOf(admin, email))).status
    }),
  )
  expect(made).toEqual([201, 201, 201, 201])
  const { rows } = await portal.parts.database.pool.query<{ email_key: string }>(
    `SELECT email_key FROM portico.persons WHERE email_key LIKE '%zmir@x.example' ORDER BY 1`,
  )
  expect(rows.map((row) => row.email_key).toSorted()).toEqual(['izmir@x.example', 'İzmir@x.example'])
})

describe('an address is refused with the reason', () => {
  test.each([
    ['ceo@example.com.', 'Remove the dot at the end of the address.'],
    [
      'ceo\u202E@example.com',
      'The address contains an invisible character (U+202E). Delete it, or type the address again.',
    ],
    [
      'ceo@exa\u200Bmple.com',
      'The address contains an invisible character (U+200B). Delete it, or type the address again.',
    ],
    ['Ceo <ceo@example.com>', 'Enter the address alone, without a name, quotes or brackets.'],
    ['ceo@127.0.0.1', 'Use a domain such as example.com after the @, not an IP address.'],
    ['ceo@evil.example/.corp.example', 'Remove / after the @: only a domain such as example.com can follow.'],
    ['ceo', 'Value is invalid!'],
  ])('%j', async (email, message) => {
    const refused = { status: 400, body: { error: { details: [{ field: 'email', message }] } } }
    expect(await north.post(identities, await draftOf(north, email))).toMatchObject(refused)
    expect(await portal.anonymous.post('/identity/v1/forgot-password', { email })).toMatchObject(refused)
    // For sign-in it is a wrong address like any other, not a mistake of the caller.
    expect((await signIn(email)).status).toBe(401)
  })
})
