import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { findCluster, superuserUrl } from './cluster.ts'
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

const patience = { timeout: 20_000 }
const isRoot = process.getuid?.() === 0
const log = { info: vi.fn<(message: string) => void>() }

let folder: string
let dataDir: string
let running: EmbeddedPostgres[]

beforeEach(async () => {
  // Mode 0700: if this process is root, PostgreSQL's user cannot enter the folder.
  folder = await mkdtemp(join(tmpdir(), 'portico-postgres-'))
  dataDir = join(folder, 'data')
  running = []
  log.info.mockClear()
})

afterEach(async () => {
  for (const server of running) await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(durable = false): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(dataDir, log, { durable })
  running.push(server)
  return server
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

/** Returns the URL of the same database for the superuser. */
async function asSuperuser(url: string): Promise<string> {
  const found = await findCluster(dataDir)
  if (!found) throw new Error('no cluster')
  return superuserUrl(found, Number(new URL(url).port), 'portico')
}

async function runningUrl(): Promise<string> {
  return (await findRunningPostgres(dataDir)) ?? 'not running'
}

async function postmaster(): Promise<number> {
  return Number((await readFile(cluster('postmaster.pid'), 'utf8')).split('\n')[0])
}

/** Objects that an earlier release, or an operator as superuser, may have left. */
const legacyObjects = [
  'CREATE SCHEMA legacy',
  "CREATE TYPE legacy.mood AS ENUM ('good', 'bad')",
  'CREATE TABLE legacy.people (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, number serial, mood legacy.mood)',
  "INSERT INTO legacy.people (mood) VALUES ('bad')",
  'CREATE SEQUENCE legacy.loose',
  'CREATE VIEW legacy.good AS SELECT * FROM legacy.people',
  'CREATE TABLE legacy.parted (id int) PARTITION BY RANGE (id)',
  'CREATE STATISTICS legacy.both ON id, mood FROM legacy.people',
  'CREATE FUNCTION legacy.twice(bigint) RETURNS integer LANGUAGE sql AS $$ SELECT 2 * $1::integer $$',
]
const foreignObjects = `
  SELECT string_agg(name, ', ') FROM (
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'legacy'::regnamespace AND relowner <> 'portal'::regrole
    UNION ALL
    SELECT typname FROM pg_type WHERE typnamespace = 'legacy'::regnamespace AND typowner <> 'portal'::regrole
    UNION ALL
    SELECT proname FROM pg_proc WHERE pronamespace = 'legacy'::regnamespace AND proowner <> 'portal'::regrole
    UNION ALL
    SELECT stxname FROM pg_statistic_ext WHERE stxnamespace = 'legacy'::regnamespace AND stxowner <> 'portal'::regrole
    UNION ALL
    SELECT nspname FROM pg_namespace WHERE nspname = 'legacy' AND nspowner <> 'portal'::regrole
    UNION ALL
    SELECT datname FROM pg_database WHERE datname = 'portico' AND datdba <> 'portal'::regrole
  ) AS objects`

const cluster = (file: string): string => join(dataDir, 'postgres/cluster', file)

describe('the data folder', () => {
  test('keeps its data across a restart', async () => {
    expect(await findRunningPostgres(dataDir)).toBeNull()
    const first = await start()
    expect(await findRunningPostgres(dataDir)).toBe(first.url)
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.stop()
    expect(await findRunningPostgres(dataDir)).toBeNull()
    const second = await start()
    expect(await ask(second.url, 'SELECT answer FROM kept')).toBe(42)
    expect(second.url).toBe(first.url)
  })

  test('of an earlier release, owned by the superuser, is transferred to an ordinary role', async () => {
    const first = await start()
    const superuser = await asSuperuser(first.url)
    for (const text of legacyObjects) await ask(superuser, text)
    await first.stop()
    await rm(join(dataDir, 'postgres/owner-password'))
    const { url } = await start()
    expect(await ask(url, 'SELECT current_user')).toBe('portal')
    expect(await ask(url, `SELECT rolsuper FROM pg_roles WHERE rolname = current_user`)).toBe(false)
    expect(await ask(url, foreignObjects)).toBe(null)
    // All objects can still be used, changed and removed.
    expect(await ask(url, `INSERT INTO legacy.people (mood) VALUES ('good') RETURNING legacy.twice(id)`)).toBe(4)
    await ask(url, 'ALTER TABLE legacy.people ADD COLUMN name text')
    await ask(url, `ALTER TYPE legacy.mood ADD VALUE 'tired'`)
    await ask(url, 'DROP SCHEMA legacy CASCADE')
  })

  test.runIf(isRoot)('may be one that all users can enter', async () => {
    await chmod(folder, 0o755)
    expect(await ask(await asSuperuser((await start()).url), 'SHOW data_directory')).toBe(
      cluster('').replace(/\/$/, ''),
    )
  })

  test.runIf(isRoot)('may have been copied or restored by root', async () => {
    await (await start()).stop()
    await chown(cluster(''), 0, 0)
    await chown(cluster('PG_VERSION'), 0, 0)
    await chmod(cluster(''), 0o755)
    expect(await ask((await start()).url, 'SELECT 1')).toBe(1)
    expect((await stat(cluster('PG_VERSION'))).uid).not.toBe(0)
  })

  test.runIf(isRoot)('is owned by a dedicated user, even after an earlier release that used a shared one', async () => {
    await (await start()).stop()
    const { uid, gid } = await stat(cluster(''))
    expect(uid).toBeGreaterThanOrEqual(60_706)
    const nobody = (await readFile('/etc/passwd', 'utf8')).split('\n').find((line) => line.startsWith('nobody:'))
    const [, , nobodyId] = (nobody ?? '').split(':').map(Number)
    for (const file of ['', 'PG_VERSION', 'base', 'global/pg_control']) await chown(cluster(file), nobodyId ?? 0, gid)
    await start()
    expect((await stat(cluster('global/pg_control'))).uid).toBe(uid)
    expect((await stat(`/proc/${await postmaster()}`)).uid).toBe(uid)
  })

  test('of another PostgreSQL version is not touched', async () => {
    await mkdir(cluster(''), { recursive: true })
    await writeFile(cluster('PG_VERSION'), '15\n')
    await writeFile(join(dataDir, 'postgres/password'), 'secret')
    await expect(start()).rejects.toThrow(/was created by PostgreSQL 15, but this portal uses PostgreSQL \d+\.$/)
  })

  test('without its password file is refused with a message', async () => {
    await mkdir(cluster(''), { recursive: true })
    await writeFile(cluster('PG_VERSION'), '18\n')
    await expect(start()).rejects.toThrow(`${dataDir}/postgres/password is missing`)
  })
})

describe('the role of the portal', () => {
  let other: string
  let server: EmbeddedPostgres

  // One server for all tests, as each statement is refused.
  beforeAll(async () => {
    other = await mkdtemp(join(tmpdir(), 'portico-postgres-'))
    server = await startEmbeddedPostgres(join(other, 'data'), log, { durable: false })
  })
  afterAll(async () => {
    await server.stop()
    await rm(other, { recursive: true, force: true })
  })

  test.each([
    ["COPY (SELECT 1) TO PROGRAM 'id'", 'permission denied to COPY to or from an external program'],
    ["SELECT pg_read_file('/etc/passwd')", 'permission denied for function pg_read_file'],
    ["ALTER SYSTEM SET log_statement = 'none'", 'permission denied to set parameter "log_statement"'],
    ['CREATE ROLE eve SUPERUSER', 'permission denied to create role'],
    ['ALTER ROLE portal SUPERUSER', 'permission denied to alter role'],
    ['SELECT rolpassword FROM pg_authid', 'permission denied for table pg_authid'],
    ['CREATE DATABASE other', 'permission denied to create database'],
  ])('is not allowed to run: %s', async (text, refusal) => {
    await expect(ask(server.url, text)).rejects.toThrow(refusal)
  })
})

describe('the server', () => {
  test('listens only on this machine, requires a password, and uses UTC and a fixed collation', async () => {
    const { url } = await start()
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(await ask(url, 'SHOW listen_addresses')).toBe('127.0.0.1')
    expect(await ask(await asSuperuser(url), 'SHOW unix_socket_directories')).toBe('')
    expect(await ask(url, 'SHOW timezone')).toBe('UTC')
    expect(await ask(url, 'SHOW server_encoding')).toBe('UTF8')
    expect(await ask(url, 'SELECT datlocale FROM pg_database WHERE datname = current_database()')).toBe('C.UTF-8')
    const withoutPassword = new URL(url)
    withoutPassword.password = 'wrong'
    await expect(ask(withoutPassword.href, 'SELECT 1')).rejects.toThrow('password authentication failed')
    expect((await stat(join(dataDir, 'postgres/password'))).mode & 0o777).toBe(0o600)
    expect((await stat(cluster(''))).mode & 0o777).toBe(0o700)
  })

  test('is started once if several processes start it at the same time', async () => {
    const [one, other] = await Promise.all([start(), start()])
    expect(one.url).toBe(other.url)
    expect(log.info).toHaveBeenCalledWith(expect.stringMatching(/^PostgreSQL is already running/))
  })

  test('uses another port if its own is taken', async () => {
    const first = await start()
    await first.stop()
    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
    await once(squatter, 'listening')
    const second = await start()
    squatter.close()
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port)
    expect(await ask(second.url, 'SELECT 1')).toBe(1)
  })

  test('reports why it cannot start', async () => {
    await (await start()).stop()
    await writeFile(cluster('postgresql.auto.conf'), 'no_such_setting = on\n')
    await expect(start()).rejects.toThrow(
      /^PostgreSQL did not start: it ended with code 1\.\n(.*\n)*.*unrecognized configuration parameter "no_such_setting"/,
    )
  })

  test('is reported when it ends unexpectedly', async () => {
    await start()
    process.kill(await postmaster(), 'SIGINT')
    await vi.waitFor(
      () => expect(log.info).toHaveBeenCalledWith(expect.stringMatching(/^PostgreSQL ended with code 0/)),
      patience,
    )
  })
})

describe('a start after', () => {
  let helper: ChildProcess

  afterEach(() => helper.kill('SIGKILL'))

  test('kill -9 of the process that had started it', async () => {
    helper = await startInChild(process.env['PATH'])
    await ask(await runningUrl(), 'CREATE TABLE kept AS SELECT 42 AS answer')
    await kill(helper)
    // With setpriv, the kernel stops it; without, the next start does.
    if (process.platform === 'linux')
      await vi.waitUntil(async () => (await findRunningPostgres(dataDir)) === null, patience)
    expect(await ask((await start()).url, 'SELECT answer FROM kept')).toBe(42)
  })

  test('kill -9 of the process that had started it, where setpriv is missing', async () => {
    helper = await startInChild('')
    await ask(await runningUrl(), 'CREATE TABLE kept AS SELECT 42 AS answer')
    await kill(helper)
    expect(await ask(await runningUrl(), 'SELECT 1')).toBe(1)
    expect(await ask((await start()).url, 'SELECT answer FROM kept')).toBe(42)
    expect(log.info).toHaveBeenCalledWith(
      expect.stringMatching(/^Stopping a PostgreSQL left over from an earlier start/),
    )
  })

  test('kill -9 of PostgreSQL itself', async () => {
    const first = await start(true)
    await ask(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const pid = await postmaster()
    process.kill(pid, 'SIGKILL')
    // Waits until the signal has arrived: until then, there is nothing to recover from.
    await vi.waitUntil(() => !existsSync(`/proc/${pid}`))
    expect(await ask((await start()).url, 'SELECT answer FROM kept')).toBe(42)
  })

  test('another process has started it uses that one and leaves it running', async () => {
    helper = await startInChild(process.env['PATH'])
    const beside = await start()
    expect(await ask(beside.url, 'SELECT 1')).toBe(1)
    await beside.stop()
    expect(await ask(beside.url, 'SELECT 1')).toBe(1)
    const isOver = once(helper, 'exit')
    helper.stdin?.end()
    await isOver
    expect(await findRunningPostgres(dataDir)).toBeNull()
  })

  test('a crash whose process id now belongs to another process', async () => {
    await (await start()).stop()
    const { uid, gid } = await stat(cluster(''))
    helper = spawn('sleep', ['60'], { ...(isRoot && { uid, gid }), cwd: '/', stdio: 'ignore' })
    await once(helper, 'spawn')
    await writeFile(cluster('postmaster.pid'), `${helper.pid}\n${cluster('')}\n1700000000\n5432\n\n\n\nready\n`)
    expect(await findRunningPostgres(dataDir)).toBeNull()
    expect(await ask((await start()).url, 'SELECT 1')).toBe(1)
    expect(helper.exitCode).toBeNull()
  })

  test('a crash that left an empty process file', async () => {
    await (await start()).stop()
    await writeFile(cluster('postmaster.pid'), '')
    expect(await ask((await start()).url, 'SELECT 1')).toBe(1)
  })

  async function kill(child: ChildProcess): Promise<void> {
    const isKilled = once(child, 'exit')
    child.kill('SIGKILL')
    await isKilled
  }

  /** Starts PostgreSQL in a child process, which stops it when its input ends. */
  async function startInChild(PATH: string | undefined): Promise<ChildProcess> {
    const script = `
      const { startEmbeddedPostgres } = await import(process.argv[1])
      const server = await startEmbeddedPostgres(process.argv[2], { info() {} }, { durable: false })
      process.stdout.write('started')
      process.stdin.resume().on('end', () => server.stop())`
    const source = join(import.meta.dirname, 'embedded-postgres.ts')
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, source, dataDir], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, PATH },
    })
    await once(child.stdout, 'data')
    return child
  }
})
