import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import type { AccountId } from '@portico/contract/accounts'
import type { Action } from '@portico/contract/route'
import type { FastifyInstance } from 'fastify'
import { removeExpiredFiles } from '#downloads'
import { createIdentityWithPassword } from '#sign-in'
import { readConfig, type Config } from '#platform/config.ts'
import { openDatabase } from '#platform/database.ts'
import { apiPrefix } from '#platform/http/serving.ts'
import { startJobs } from '#platform/jobs/jobs.ts'
import { createLog } from '#platform/log.ts'
import { createMail } from '#platform/mail.ts'
import type { Services } from '#platform/services.ts'
import { createAccountStorage } from '../../src/account-storage.ts'
import { buildApp } from '../../src/app.ts'
import { registrations } from '../../src/registrations.ts'
import { jobKinds, startWorker } from '../../src/worker.ts'
import { createTestDatabase } from './database.ts'
import { createTestAccount } from './spare-accounts.ts'

/**
 * Response of the portal. `body` is the parsed JSON, or else the text; `json` is `body` with the type that the test
 * expects.
 */
export type Answer = {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: unknown
  json: <T>() => T
}

/** A client of the portal; paths are relative to `/api`. */
export type Client = {
  get: (path: string) => Promise<Answer>
  post: (path: string, body?: unknown) => Promise<Answer>
  put: (path: string, body?: unknown) => Promise<Answer>
  delete: (path: string, body?: unknown) => Promise<Answer>
}

/** A client that is signed in to an account. */
export type Member = Client & { email: string; account: AccountId; token: string }

export type TestPortal = {
  app: FastifyInstance
  parts: Services
  config: Config
  /** A client without a token. */
  anonymous: Client
  /** A client with this token. */
  holder: (token: string) => Client
  /** A client that sends these headers, from this address (default 127.0.0.1). */
  asking: (headers: Record<string, string>, address?: string) => Client
  /** Signs a person in with the shared test password. The token has no account yet. */
  signIn: (email: string) => Promise<string>
  /** Creates an account. */
  account: (name?: string, parent?: AccountId) => Promise<AccountId>
  /** Creates a member who holds these actions in the account; without any, a power user. */
  member: (account: AccountId, ...actions: Action[]) => Promise<Member>
  /** Creates a power admin, signed in to the first account. */
  powerAdmin: () => Promise<Member>
  /** Runs the worker's removal of expired files once; returns the number of removed files. */
  removeExpiredFiles: () => Promise<number>
  /** Starts a worker in this process. */
  startWorker: () => Promise<void>
  close: () => Promise<void>
}

/** The password of all people in tests. */
export const testPassword = 'correct horse battery staple'

// The least work that argon2 allows, as tests sign in thousands of times. A hash contains its parameters.
const quickHash = hash(testPassword, { memoryCost: 8, timeCost: 1, parallelism: 1 })

/**
 * Starts a separate portal: database, data folder, job queue and web server, without listening on a port. `prepare`
 * gets the URL of the migrated, empty database before anything opens it.
 */
export async function startPortal(
  overrides: Partial<Config> = {},
  prepare?: (databaseUrl: string) => Promise<void>,
): Promise<TestPortal> {
  const startedAt = new Date()
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-test-'))
  const testDatabase = await createTestDatabase()
  await prepare?.(testDatabase.url)
  const portal = await openPortal(dataDir, testDatabase.url, overrides)
  return {
    ...portal,
    async close() {
      const unexplained = await actionsWithoutMeans(portal.parts, startedAt)
      await portal.close()
      await testDatabase.drop()
      await rm(dataDir, { recursive: true, force: true })
      if (unexplained.length > 0) throw new Error(`The audit log does not say how: ${unexplained.join(', ')}`)
    },
  }
}

/** Returns actions since the start whose entries in the audit log lack how they were done. */
async function actionsWithoutMeans({ database }: Services, since: Date): Promise<string[]> {
  const { rows } = await database.pool.query<{ action: string }>(
    'SELECT DISTINCT action FROM portico.audit_log WHERE via IS NULL AND at >= $1',
    [since],
  )
  return rows.map(({ action }) => action)
}

/** Opens a portal on an existing data folder and database, like another web process. `close` leaves both. */
export async function openPortal(
  dataDir: string,
  databaseUrl: string,
  overrides: Partial<Config> = {},
): Promise<TestPortal> {
  const config = { ...readConfig({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl }), ...overrides }
  const log = createLog({ level: 'silent' })
  const database = openDatabase(databaseUrl, log, { max: 8 })
  const jobs = await startJobs(databaseUrl, jobKinds, log)
  const mail = createMail(config)
  const parts: Services = { config, database, jobs, storage: createAccountStorage(config, database, log), mail, log }
  const app = await buildApp(parts)
  const holder = (token: string): Client => clientOf(app, { authorization: `Bearer ${token}` })
  return {
    app,
    parts,
    config,
    anonymous: clientOf(app, {}),
    holder,
    asking: (headers, address) => clientOf(app, headers, address),
    signIn: (email) => signIn(app, email),
    account: (name = nextName('Account'), parent) => createTestAccount(database, { name, parent: parent ?? null }),
    member: (account, ...actions) => makeMember(parts, app, account, actions),
    powerAdmin: () => makePowerAdmin(parts, app),
    removeExpiredFiles: () => removeExpiredFiles(parts, registrations),
    startWorker: () => startWorker(parts),
    async close() {
      await app.close()
      await jobs.stop()
      await database.close()
    },
  }
}

let lastNumber = 0

/** Returns a name that is unique in this process. */
function nextName(kind: string): string {
  return `${kind} ${++lastNumber}`
}

const nextEmail = (kind: string): string => `${nextName(kind).replace(' ', '-')}@example.com`

async function makeMember(
  { database }: Services,
  app: FastifyInstance,
  account: AccountId,
  actions: Action[],
): Promise<Member> {
  const email = nextEmail('member')
  const powerUser = actions.length === 0
  await addPerson(database.pool, email)
  const { id } = await createIdentityWithPassword(database.db, { email, account, powerUser })
  if (!powerUser) await grantActions(database.pool, account, id, actions)
  return enter(app, email, account)
}

/** Creates a person with the shared test password, which they keep when they get an identity. */
async function addPerson(pool: Services['database']['pool'], email: string): Promise<void> {
  const person = [crypto.randomUUID(), email, await quickHash]
  await pool.query('INSERT INTO portico.persons (id, email, email_key, password_hash) VALUES ($1, $2, $2, $3)', person)
}

/** Gives an identity a policy with these actions, through a separate group. */
async function grantActions(
  pool: Services['database']['pool'],
  account: AccountId,
  identity: string,
  actions: Action[],
): Promise<void> {
  const [policy, group, name] = [crypto.randomUUID(), crypto.randomUUID(), nextName('granted')]
  await pool.query('INSERT INTO portico.policies (id, account_id, name, actions) VALUES ($1, $2, $3, $4)', [
    policy,
    account,
    name,
    actions,
  ])
  await pool.query('INSERT INTO portico.groups (id, account_id, name) VALUES ($1, $2, $3)', [group, account, name])
  await pool.query('INSERT INTO portico.group_policies (group_id, policy_id) VALUES ($1, $2)', [group, policy])
  await pool.query('INSERT INTO portico.identity_groups (identity_id, group_id) VALUES ($1, $2)', [identity, group])
}

async function makePowerAdmin({ database }: Services, app: FastifyInstance): Promise<Member> {
  const { rows } = await database.pool.query<{ id: AccountId }>('SELECT min(id) AS id FROM portico.accounts')
  const account = rows[0]?.id ?? (await createTestAccount(database, { name: nextName('Account'), parent: null }))
  const email = nextEmail('admin')
  await addPerson(database.pool, email)
  await createIdentityWithPassword(database.db, { email, account: null, powerUser: false })
  return enter(app, email, account)
}

/** Signs in as a browser does: with the password, then into the account. */
async function enter(app: FastifyInstance, email: string, account: AccountId): Promise<Member> {
  const halfToken = await signIn(app, email)
  const entered = await clientOf(app, { authorization: halfToken }).get(`/identity/v1/login/${account}`)
  const { token } = entered.json<{ token: string }>()
  return { email, account, token, ...clientOf(app, { authorization: `Bearer ${token}` }) }
}

async function signIn(app: FastifyInstance, email: string): Promise<string> {
  const reply = await clientOf(app, {}).post('/identity/v1/login', { email, password: testPassword })
  return reply.json<{ token: string }>().token
}

function clientOf(app: FastifyInstance, headers: Record<string, string>, remoteAddress = '127.0.0.1'): Client {
  const ask =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
    async (path: string, body?: unknown): Promise<Answer> => {
      const payload = body === undefined ? {} : { payload: body as object }
      const reply = await app.inject({ method, url: apiPrefix + path, headers, remoteAddress, ...payload })
      const isJson = reply.headers['content-type']?.toString().startsWith('application/json') ?? false
      const answer: unknown = isJson ? reply.json() : reply.body
      // The test asserts the type of the body, and its expectations check it.
      return { status: reply.statusCode, headers: reply.headers, body: answer, json: <T>() => answer as T }
    }
  return { get: ask('GET'), post: ask('POST'), put: ask('PUT'), delete: ask('DELETE') }
}
