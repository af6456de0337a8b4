import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPortal, type TestPortal, testPassword } from '#test/kit/portal.ts'
import { portalFolder, type RunningPortal } from '#test/processes/running-portal.ts'

// A portal in a separate process, while another connection holds the locks that its requests wait for.

const email = 'root@example.com'

let folder: Awaited<ReturnType<typeof portalFolder>>
let running: RunningPortal
let portal: TestPortal
let stranger: pg.Client
let token: string

beforeAll(async () => {
  folder = await portalFolder({ PORTICO_ADMIN_EMAIL: email, PORTICO_ADMIN_PASSWORD: testPassword })
  running = await folder.start()
  await running.ready()
  portal = await openPortal(folder.dataDir, await folder.databaseUrl())
  const account = await portal.account()
  stranger = new pg.Client({ connectionString: await folder.databaseUrl() })
  await stranger.connect()
  token = await tokenOf(await signIn())
  token = await tokenOf(await ask(`/api/identity/v1/login/${account}`))
})
afterAll(async () => {
  await stranger.end()
  await portal.close()
  await folder.remove()
})

const tokenOf = async (answer: Response) => ((await answer.json()) as { token: string }).token
const ask = (path: string, body?: object, by = token) =>
  fetch(`${running.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...(by && { authorization: `Bearer ${by}` }) },
    ...(body && { body: JSON.stringify(body) }),
  })
const signIn = () => ask('/api/identity/v1/login', { email, password: testPassword })
const addPolicy = (at: number) =>
  ask('/api/identity/v1/policies', { name: `Policy of many ${at}`, actions: ['contact-service::offers::get'] })
const createAccount = (at: number) =>
  ask('/api/identity/v1/accounts', { name: `Account of many ${at}`, timeZone: 'UTC' })

/** Sends 90 requests that wait, and returns their replies and the total time. */
async function waitTogether(send: (at: number) => Promise<Response>, meanwhile: () => Promise<void>) {
  const began = performance.now()
  const answers = Promise.all(Array.from({ length: 90 }, (_, at) => send(at)))
  await sleep(500)
  await meanwhile()
  const done = await answers
  const statuses = new Set(done.map(({ status }) => status))
  return { statuses, retry: done[0]?.headers.get('retry-after'), ms: performance.now() - began }
}

test('requests that wait for a lock are refused after ten seconds, and others are served', async () => {
  await stranger.query('BEGIN')
  // The locks of changes of access, and of changes of tables.
  await stranger.query('SELECT pg_advisory_xact_lock(7215096), pg_advisory_xact_lock(7215093)')
  const either = (at: number) => (at % 2 ? addPolicy(at) : createAccount(at))
  const { statuses, retry, ms } = await waitTogether(either, async () => {
    expect((await signIn()).status).toBe(200)
    expect((await ask('/readyz')).status).toBe(200)
  })
  // Those for which the person has no place in the line are refused at once.
  expect(statuses).toEqual(new Set([503, 429]))
  expect(retry).toBe('5')
  expect(ms).toBeLessThan(15_000)
  await stranger.query('ROLLBACK')
  for (const send of [addPolicy, createAccount]) expect((await send(100)).status).toBeLessThan(300)
})

test('the portal is not ready while all connections wait, and recovers by itself', async () => {
  await stranger.query('BEGIN')
  await stranger.query('LOCK TABLE portico.password_requests IN ACCESS EXCLUSIVE MODE')
  // From strangers: the calls of one person leave connections to others.
  const request = (at: number) => ask('/api/identity/v1/forgot-password', { email: `p${at}@example.com` }, '')
  const { statuses, ms } = await waitTogether(request, async () => {
    expect((await ask('/readyz')).status).toBe(200)
    expect((await ask('/healthz')).status).toBe(200)
    await sleep(5500)
    const told = await ask('/readyz')
    expect(told.status).toBe(503)
    expect(await told.json()).toMatchObject({ status: 'no free connection' })
    // A process that waits is alive.
    expect((await ask('/healthz')).status).toBe(200)
  })
  expect(statuses).toEqual(new Set([503]))
  expect(ms).toBeLessThan(25_000)
  expect((await ask('/readyz')).status).toBe(200)
  await stranger.query('ROLLBACK')
  expect((await request(100)).status).toBe(204)
  expect((await signIn()).status).toBe(200)
})
