import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPortal, type TestPortal } from '#test/portal.ts'

let portal: TestPortal
let emptyDataDir: string

beforeAll(async () => {
  portal = await startPortal()
  emptyDataDir = await mkdtemp(join(tmpdir(), 'portico-cli-'))
  // An embedded PostgreSQL may have to run as another user, who has to reach its folder.
  await chmod(emptyDataDir, 0o755)
})
afterAll(async () => {
  await portal.close()
  await rm(emptyDataDir, { recursive: true, force: true })
})

/** Runs the command line as a process of its own, on the database of the running portal unless told otherwise. */
async function portico(args: string[], { input = '', env }: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
  const beside = { DATABASE_URL: portal.parts.database.url, DATA_DIR: portal.config.dataDir }
  const { PATH } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, 'cli.ts'), ...args], {
    env: { PATH, ...(env ?? beside) },
  })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const results = out.startsWith('{')
    ? out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    : []
  return { exitCode, out, errors, results }
}

function signIn(email: string, password: string) {
  return portal.anonymous.post('/identity/v1/login', { email, password })
}

describe('accounts', () => {
  test('are made and listed, one line of JSON each', async () => {
    const made = await portico(['accounts', 'create', '--name', ' Example Company '])
    expect(made).toMatchObject({ exitCode: 0, errors: '' })
    const [account] = made.results as { Key: number; Value: string }[]
    expect(account).toEqual({ Key: expect.any(Number), Value: 'Example Company' })
    const sub = await portico(['accounts', 'create', '--name', 'A branch', '--parent', String(account?.Key)])
    const listed = await portico(['accounts', 'list'])
    expect(listed.results).toEqual([...sub.results, account])
    const admin = await portal.powerAdmin()
    expect((await admin.get('/identity/v1/accounts')).body).toEqual(listed.results)
  })

  test('cannot have a name twice, nor a parent or time zone that does not exist', async () => {
    await portico(['accounts', 'create', '--name', 'Only one'])
    const again = await portico(['accounts', 'create', '--name', 'ONLY ONE'])
    expect(again).toMatchObject({ exitCode: 1, out: '', errors: 'There is an account named "ONLY ONE" already.\n' })
    const orphan = await portico(['accounts', 'create', '--name', 'Orphan', '--parent', '999'])
    expect(orphan).toMatchObject({ exitCode: 1, errors: 'Account 999 does not exist.\n' })
    const nowhere = await portico(['accounts', 'create', '--name', 'Nowhere', '--time-zone', 'Mars/Olympus'])
    expect(nowhere).toMatchObject({ exitCode: 1, errors: 'timeZone: There is no time zone "Mars/Olympus".\n' })
  })
})

describe('identities', () => {
  test('are made with a password that is printed once, and lets its owner in', async () => {
    const account = await portal.account()
    const made = await portico(['identities', 'create', '--email', 'ada@example.com', '--account', String(account)])
    expect(made).toMatchObject({ exitCode: 0, errors: '' })
    const [identity] = made.results as { password: string }[]
    expect(identity).toEqual({ email: 'ada@example.com', account, password: expect.stringMatching(/^\w{20}$/) })
    expect((await signIn('ada@example.com', identity?.password ?? '')).status).toBe(200)
    const elsewhere = await portal.account()
    const second = await portico(['identities', 'create', '--email', 'ADA@example.com', '--account', String(elsewhere)])
    expect(second.results).toEqual([{ email: 'ada@example.com', account: elsewhere }])
    const twice = await portico(['identities', 'create', '--email', 'ada@example.com', '--account', String(account)])
    expect(twice.exitCode).toBe(1)
    expect(twice.errors).toBe(`ada@example.com has an identity in account ${account} already.\n`)
  })

  test('take a password from standard input and do not print it', async () => {
    const account = await portal.account()
    const args = ['identities', 'create', '--email', 'bob@example.com', '--account', String(account), '--power-user']
    const made = await portico([...args, '--password-stdin'], { input: 'a password of my own\n' })
    expect(made.results).toEqual([{ email: 'bob@example.com', account }])
    expect((await signIn('bob@example.com', 'a password of my own')).status).toBe(200)
    const short = await portico([...args.with(3, 'eve@example.com'), '--password-stdin'], { input: 'short' })
    expect(short).toMatchObject({ exitCode: 1, errors: 'password: A password has at least 8 characters.\n' })
  })

  test('without an account are power admins', async () => {
    const made = await portico(['identities', 'create', '--email', 'root@example.com'])
    const [identity] = made.results as { password: string }[]
    const reply = await signIn('root@example.com', identity?.password ?? '')
    expect(reply.body).toMatchObject({ user: { isPowerAdmin: true } })
  })
})

describe('a wrong call', () => {
  test.each([
    [['accounts', 'create'], "error: required option '--name <name>' not specified\n"],
    [['accounts', 'create', '--name', 'X', '--parent', 'x'], /^error: option '--parent <id>' argument 'x' is invalid/],
    [['identities', 'create', '--email', 'x@y.zz', '--power-user'], /--power-user/],
    [['accounts', 'remove'], /^error: unknown command/],
  ])('%j is told in one line, with exit code 2', async (args, message) => {
    const { exitCode, out, errors } = await portico(args)
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(errors).toMatch(message)
    expect(errors.trim()).not.toContain('\n')
  })

  test('is helped by --help, with examples', async () => {
    const { exitCode, out } = await portico(['--help'])
    expect(exitCode).toBe(0)
    expect(out).toContain('portico identities create --email')
  })

  test('with a wrong setting or no database says so in one line', async () => {
    const wrong = await portico(['accounts', 'list'], { env: { DATA_DIR: emptyDataDir, PORT: 'x' } })
    expect(wrong).toMatchObject({ exitCode: 1, errors: expect.stringMatching(/^PORT must be [^\n]*\n$/) })
    const env = { DATA_DIR: emptyDataDir, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
    const nothing = await portico(['accounts', 'list'], { env })
    expect(nothing).toMatchObject({ exitCode: 1, errors: 'The database cannot be reached (ECONNREFUSED).\n' })
  })
})

test('without a running portal the embedded PostgreSQL is started, and stopped again', async () => {
  const env = { DATA_DIR: join(emptyDataDir, 'data') }
  const made = await portico(['accounts', 'create', '--name', 'Example Company'], { env })
  expect(made).toMatchObject({ exitCode: 0, errors: '', results: [{ Key: 1, Value: 'Example Company' }] })
  const listed = await portico(['accounts', 'list'], { env })
  expect(listed.results).toEqual(made.results)
})
