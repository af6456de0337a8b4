import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCredential, identityOf, linkOf } from '#test/resources/access.ts'
import { logOf } from '#test/kit/administration.ts'
import { codeOf } from '#test/stand-ins/authenticator.ts'
import * as commands from '#test/processes/commands.ts'
import { chooseOwnPassword } from '#test/kit/own-password.ts'
import { startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const sharedEnv = () => ({ DATABASE_URL: portal.parts.database.url, DATA_DIR: portal.config.dataDir })

/** Runs a command on the database of the portal. */
function portico(args: string[], { input = '', env = sharedEnv() }: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
  return commands.portico(args, { input, env })
}

function signIn(email: string, password: string) {
  return portal.anonymous.post('/identity/v1/login', { email, password })
}

const headerOf = ({ authorization }: { authorization: string }) => ({ authorization })

describe('accounts', () => {
  test('are created and listed as one line of JSON each', async () => {
    const made = await portico(['accounts', 'create', '--name', ' Example Company '])
    expect(made).toMatchObject({ exitCode: 0, errors: '' })
    const [account] = made.results as { Key: number; Value: string }[]
    expect(account).toEqual({ Key: expect.any(Number), Value: 'Example Company' })
    const sub = await portico(['accounts', 'create', '--name', 'A branch', '--parent', String(account?.Key)])
    const listed = await portico(['accounts', 'list'])
    expect(listed.results).toMatchObject([...sub.results, { ...account, parent: null, isSuspended: false }])
    const admin = await portal.powerAdmin()
    expect((await admin.get('/identity/v1/accounts/details')).body).toEqual(listed.results)
  })

  test('must have a unique name, and an existing parent and time zone', async () => {
    await portico(['accounts', 'create', '--name', 'Only one'])
    const again = await portico(['accounts', 'create', '--name', 'ONLY ONE'])
    expect(again).toMatchObject({ exitCode: 1, out: '', errors: 'An account named "ONLY ONE" already exists.\n' })
    const orphan = await portico(['accounts', 'create', '--name', 'Orphan', '--parent', '999'])
    expect(orphan).toMatchObject({ exitCode: 1, errors: 'Account 999 does not exist.\n' })
    const nowhere = await portico(['accounts', 'create', '--name', 'Nowhere', '--time-zone', 'Mars/Olympus'])
    expect(nowhere).toMatchObject({ exitCode: 1, errors: 'timeZone: Unknown time zone "Mars/Olympus".\n' })
  })
})

describe('an account', () => {
  test('is renamed, suspended and resumed', async () => {
    const account = String(await portal.account('Before'))
    const renamed = await portico(['accounts', 'rename', '--account', account, '--name', ' After '])
    expect(renamed.results).toMatchObject([{ Key: Number(account), Value: 'After', isSuspended: false }])
    const suspended = await portico(['accounts', 'suspend', '--account', account])
    expect(suspended.results).toMatchObject([{ Value: 'After', isSuspended: true }])
    const resumed = await portico(['accounts', 'resume', '--account', account])
    expect(resumed.results).toMatchObject([{ isSuspended: false }])
    const log = await logOf(portal, 'After')
    expect(log).toMatchObject(
      ['changed', 'suspended', 'resumed'].map((what) => ({ actor: 'command line', action: `account ${what}` })),
    )
  })

  test('that does not exist, or a name that is taken or blank, is refused', async () => {
    const [one] = [await portal.account('One of two'), await portal.account('Two of two')]
    const taken = await portico(['accounts', 'rename', '--account', String(one), '--name', 'two of TWO'])
    expect(taken).toMatchObject({ exitCode: 1, out: '', errors: 'An account named "two of TWO" already exists.\n' })
    const blank = await portico(['accounts', 'rename', '--account', String(one), '--name', ' '])
    expect(blank).toMatchObject({ exitCode: 1, errors: 'name: Value is required!\n' })
    const missing = await portico(['accounts', 'suspend', '--account', '999999'])
    expect(missing).toMatchObject({ exitCode: 1, errors: 'Account 999999 does not exist.\n' })
  })
})

describe('groups', () => {
  test('are created for an account with policies given by name', async () => {
    const account = await portal.account()
    const args = ['groups', 'create', '--account', String(account), '--name', 'Analysts']
    const made = await portico([...args, '--policy', 'full access'])
    expect(made).toMatchObject({ exitCode: 0, errors: '' })
    expect(made.results).toEqual([{ _id: expect.any(String), name: 'Analysts', account }])
    const member = await portal.member(account)
    expect((await member.get('/identity/v1/groups')).body).toContainEqual(
      expect.objectContaining({
        name: 'Analysts',
        ownerPaid: account,
        policies: [expect.objectContaining({ name: 'Full access' })],
      }),
    )
    const again = await portico([...args, '--policy', 'Full access'])
    expect(again).toMatchObject({ exitCode: 1, errors: 'A group with this name exists already!\n' })
    const unknown = await portico([...args.with(-1, 'Other analysts'), '--policy', 'Nothing like it'])
    expect(unknown).toMatchObject({
      exitCode: 1,
      errors: 'policy: The account has no policy named "Nothing like it".\n',
    })
    const short = await portico([...args.with(-1, 'Four'), '--policy', 'Full access'])
    expect(short).toMatchObject({ exitCode: 1, errors: 'name: Min 5 characters!\n' })
    const sub = await portal.account(undefined, account)
    const below = await portico([...args.with(3, String(sub)), '--policy', 'Full access'])
    expect(below).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(/^account: A sub-account uses the groups of its parent/),
    })
  })
})

describe('identities', () => {
  test('are created with a one-time password that is printed once', async () => {
    const account = await portal.account()
    const made = await portico(['identities', 'create', '--email', 'ada@example.com', '--account', String(account)])
    expect(made).toMatchObject({ exitCode: 0, errors: '' })
    const [identity] = made.results as { password: string }[]
    expect(identity).toEqual({ email: 'ada@example.com', account, password: expect.stringMatching(/^\w{20}$/) })
    const password = await chooseOwnPassword(portal, { email: 'ada@example.com', password: identity?.password ?? '' })
    expect((await signIn('ada@example.com', password)).status).toBe(200)
    const elsewhere = await portal.account()
    const second = await portico(['identities', 'create', '--email', 'ADA@example.com', '--account', String(elsewhere)])
    expect(second.results).toEqual([{ email: 'ada@example.com', account: elsewhere }])
    const twice = await portico(['identities', 'create', '--email', 'ada@example.com', '--account', String(account)])
    expect(twice.exitCode).toBe(1)
    expect(twice.errors).toBe(`ada@example.com already has an identity in account ${account}.\n`)
  })

  test('take a password from standard input without printing it', async () => {
    const account = await portal.account()
    const args = ['identities', 'create', '--email', 'bob@example.com', '--account', String(account), '--power-user']
    const made = await portico([...args, '--password-stdin'], { input: 'a password of my own\n' })
    expect(made.results).toEqual([{ email: 'bob@example.com', account }])
    expect((await signIn('bob@example.com', 'a password of my own')).status).toBe(200)
    const short = await portico([...args.with(3, 'eve@example.com'), '--password-stdin'], { input: 'short' })
    expect(short).toMatchObject({ exitCode: 1, errors: 'password: Use at least 8 characters.\n' })
    const common = await portico([...args.with(3, 'eve@example.com'), '--password-stdin'], { input: 'P@ssw0rd2026' })
    expect(common).toMatchObject({
      exitCode: 1,
      errors: 'password: This is one of the most common passwords. Choose another one.\n',
    })
    const named = await portico([...args.with(3, 'eve@example.com'), '--password-stdin'], { input: 'Portico-2026!' })
    expect(named).toMatchObject({
      exitCode: 1,
      errors: 'password: Your password must be more than the name of this portal.\n',
    })
  })

  test('without an account are power admins', async () => {
    const made = await portico(['identities', 'create', '--email', 'root@example.com'])
    const [identity] = made.results as { password: string }[]
    const password = await chooseOwnPassword(portal, { email: 'root@example.com', password: identity?.password ?? '' })
    const reply = await signIn('root@example.com', password)
    expect(reply.body).toMatchObject({ user: { isPowerAdmin: true } })
  })
})

describe('two-factor of a person', () => {
  test('can be turned off by the operator, which ends their sessions and keeps their password', async () => {
    const ada = await portal.member(await portal.account())
    const path = '/identity/v1/profile/two-factor'
    const { secret } = (await ada.post(path, { password: testPassword })).json<{ secret: string }>()
    expect((await ada.post(`${path}/confirmation`, { code: codeOf(secret) })).status).toBe(200)
    expect((await signIn(ada.email, testPassword)).body).toMatchObject({ isTwoFactor: true })

    const reset = await portico(['identities', 'reset-two-factor', '--email', ada.email.toUpperCase()])
    expect(reset).toMatchObject({ exitCode: 0, errors: '', results: [{ email: ada.email, ended: 1, passkeys: 0 }] })
    expect((await ada.get('/identity/v1/profile')).status).toBe(401)
    expect((await signIn(ada.email, testPassword)).body).toMatchObject({ isTwoFactor: false })
    const log = await logOf(portal, ada.email)
    expect(log).toContainEqual(expect.objectContaining({ actor: 'command line', action: 'two-factor turned off' }))

    const again = await portico(['identities', 'reset-two-factor', '--email', ada.email])
    expect(again).toMatchObject({
      exitCode: 1,
      errors: `Two-factor is not on for ${ada.email}, and there are no passkeys.\n`,
    })
  })
})

describe('persons with an ambiguous address', () => {
  test('are listed with the reason, and can sign in again once the address is unique', async () => {
    const [ada, bob] = [
      await portal.member(await portal.account('Of Ada')),
      await portal.member(await portal.account()),
    ]
    const { pool } = portal.parts.database
    // The state after an upgrade from a release that distinguished the two addresses.
    await pool.query('UPDATE portico.persons SET email_key = $1, is_ambiguous = true WHERE email IN ($1, $2)', [
      ada.email,
      bob.email,
    ])
    await pool.query('UPDATE portico.persons SET email = upper($1) WHERE email = $2', [ada.email, bob.email])
    const { exitCode, results } = await portico(['persons', 'conflicts'])
    expect(exitCode).toBe(0)
    const listed = results as { _id: string; email: string }[]
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual({
      _id: expect.any(String),
      email: ada.email,
      mailGoesTo: ada.email,
      reason: `Several people have the address ${ada.email}.`,
      accounts: ['Of Ada'],
      lastSignInAt: expect.any(String),
    })
    expect((await signIn(ada.email, testPassword)).status).toBe(401)

    const id = listed.find(({ email }) => email !== ada.email)?._id ?? ''
    const change = (email: string) => portico(['persons', 'change-email', '--id', id, '--email', email])
    expect(await change('bob')).toMatchObject({ exitCode: 1, errors: 'email: Value is invalid!\n' })
    expect(await change(ada.email)).toMatchObject({
      exitCode: 1,
      errors: `Another person has the address ${ada.email}.\n`,
    })
    const changed = await change(' Bob@New.example ')
    expect(changed).toMatchObject({ exitCode: 0, results: [{ email: 'Bob@new.example', ended: 1 }] })
    expect((await bob.get('/identity/v1/profile')).status).toBe(401)
    expect((await portico(['persons', 'conflicts'])).results).toEqual([])
    expect(await signIn('bob@new.example', testPassword)).toMatchObject({
      body: { user: { email: 'Bob@new.example' } },
    })
    expect(await signIn(ada.email, testPassword)).toMatchObject({ body: { user: { email: ada.email } } })
  })
})

test('secrets that no key decrypts are counted and left unchanged, and the command fails', async () => {
  const ada = await portal.member(await portal.account())
  await ada.post('/identity/v1/profile/two-factor', { password: testPassword })
  const env = { DATABASE_URL: portal.parts.database.url, DATA_DIR: portal.config.dataDir }
  const wrong = await portico(['secrets', 're-encrypt'], {
    env: { ...env, SECRET_KEY: 'a key that nothing was sealed with' },
  })
  expect(wrong).toMatchObject({ exitCode: 1, results: [{ reEncrypted: 0 }, {}, {}, {}] })
  expect(wrong.errors).toMatch(/^\d+ stored secrets? (was|were) left unchanged: .* SECRET_KEY_OLD, and repeat\.\n$/)
})

test('the operator can end all sessions and impersonation links; API credentials keep working', async () => {
  const account = await portal.account()
  const [ada, eve] = [await portal.member(account), await portal.member(await portal.account())]
  const offers = '/contact-service/v1/offers'
  const link = portal.asking({ authorization: await linkOf(ada) })
  const program = portal.asking(await addCredential(portal, await identityOf(portal, ada)).then(headerOf))
  expect((await link.get(offers)).status).toBe(200)
  expect(await portico(['sessions', 'end-all'])).toMatchObject({
    exitCode: 0,
    errors: '',
    results: [{ ended: expect.any(Number) as number, links: 1 }],
  })
  for (const client of [ada, eve, link]) expect((await client.get(offers)).status).toBe(401)
  expect((await program.get(offers)).status).toBe(200)
  expect((await signIn(ada.email, testPassword)).status).toBe(200)
  const done = { actor: 'command line', action: 'sessions ended', details: { links: 1 } }
  expect((await logOf(portal, 'all people')).at(-1)).toMatchObject(done)
})

test('the operator can require two-factor of power admins, effective from the next request', async () => {
  const root = await portal.powerAdmin()
  expect(await portico(['two-factor', 'require', 'power-admins'])).toMatchObject({
    exitCode: 0,
    results: [{ twoFactorOf: 'power-admins' }],
  })
  expect(await root.get('/identity/v1/policies')).toMatchObject({ status: 403 })
  expect(await portico(['two-factor', 'require', 'nobody'])).toMatchObject({ exitCode: 0 })
  expect(await root.get('/identity/v1/policies')).toMatchObject({ status: 200 })
})

describe('an invalid command line', () => {
  test.each([
    [['accounts', 'create'], "error: required option '--name <name>' not specified\n"],
    [['accounts', 'create', '--name', 'X', '--parent', 'x'], /^error: option '--parent <id>' argument 'x' is invalid/],
    [['identities', 'create', '--email', 'x@y.zz', '--power-user'], /--power-user/],
    [['accounts', 'suspend', '--account', '0'], /^error: option '--account <id>' argument '0' is invalid/],
    [['groups', 'create', '--account', '1', '--name', 'Analysts'], /--policy/],
    [
      ['persons', 'change-email', '--id', '1', '--email', 'ada@example.com'],
      /^error: option '--id <id>' argument '1' is invalid/,
    ],
    [['two-factor', 'require', 'some'], /^error: command-argument value 'some' is invalid/],
    [['accounts', 'remove'], /^error: unknown command/],
  ])('%j prints one line and ends with exit code 2', async (args, message) => {
    const { exitCode, out, errors } = await portico(args)
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(errors).toMatch(message)
    expect(errors.trim()).not.toContain('\n')
  })
})
