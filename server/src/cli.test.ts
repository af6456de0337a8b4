import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { porticoProcess } from '#test/processes/commands.ts'
import { startPortal, testPassword, type TestPortal } from '#test/kit/portal.ts'

// The command line as operators run it: in a separate process. Each command has its tests next to it.

let portal: TestPortal
let emptyDataDir: string

beforeAll(async () => {
  portal = await startPortal()
  emptyDataDir = await mkdtemp(join(tmpdir(), 'portico-cli-'))
  // An embedded PostgreSQL may run as another user, who needs access to its folder.
  await chmod(emptyDataDir, 0o755)
})
afterAll(async () => {
  await portal.close()
  await rm(emptyDataDir, { recursive: true, force: true })
})

test('a command reads standard input, prints its result, and ends with exit code 0', async () => {
  const account = await portal.account()
  const who = ['--email', 'bob@example.com', '--account', String(account), '--power-user']
  const made = await porticoProcess(['identities', 'create', ...who, '--password-stdin'], {
    input: `${testPassword}\n`,
    env: { DATABASE_URL: portal.parts.database.url, DATA_DIR: portal.config.dataDir },
  })
  expect(made).toMatchObject({ exitCode: 0, errors: '', results: [{ email: 'bob@example.com', account }] })
  const body = { email: 'bob@example.com', password: testPassword }
  expect((await portal.anonymous.post('/identity/v1/login', body)).status).toBe(200)
})

test('an invalid command line prints only a one-line error and ends with exit code 2', async () => {
  const { exitCode, out, errors } = await porticoProcess(['accounts', 'create'], { env: {} })
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
  expect(errors).toBe("error: required option '--name <name>' not specified\n")
})

test('help includes examples', async () => {
  const { exitCode, out } = await porticoProcess(['--help'], { env: {} })
  expect(exitCode).toBe(0)
  expect(out).toContain('portico identities create --email')
})

test('an invalid setting or an unreachable database ends with one line and exit code 1', async () => {
  const wrong = await porticoProcess(['accounts', 'list'], { env: { DATA_DIR: emptyDataDir, PORT: 'x' } })
  expect(wrong).toMatchObject({ exitCode: 1, errors: expect.stringMatching(/^PORT must be [^\n]*\n$/) })
  const env = { DATA_DIR: emptyDataDir, DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  const nothing = await porticoProcess(['accounts', 'list'], { env })
  expect(nothing).toMatchObject({ exitCode: 1, errors: 'The database cannot be reached (ECONNREFUSED).\n' })
})

test('without a running portal the embedded PostgreSQL is started, and stopped again', async () => {
  const env = { DATA_DIR: join(emptyDataDir, 'data') }
  const made = await porticoProcess(['accounts', 'create', '--name', 'Example Company'], { env })
  expect(made).toMatchObject({ exitCode: 0, errors: '', results: [{ Key: 1, Value: 'Example Company' }] })
  const listed = await porticoProcess(['accounts', 'list'], { env })
  expect(listed.results).toMatchObject(made.results)
})
