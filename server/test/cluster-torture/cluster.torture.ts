import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertEventFields, recordEvents } from '#contacts'
import { addCron, makeDue, runsOf } from '#test/resources/crons.ts'
import { everyJob, jobKindNames, patiently, type SubmittedJob, underWay } from '#test/kit/every-job.ts'
import { createExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { ended, upload } from '#test/resources/imports.ts'
import type { Member } from '#test/kit/portal.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'
import { type ClusterPortal, openClusterPortal } from './cluster.ts'
import { countContacts, importRows, whileSearching } from './load.ts'

// While users and jobs are active, accounts move, a worker is added, and another dies and comes back. Nothing may be
// lost or doubled. Run by `npm run torture:citus`.

const rounds = Number(process.env['ROUNDS'] ?? 3)

let cluster: ClusterPortal
let receiver: WebhookServer
/** Accounts with 20,000 contacts each: on the worker that dies, and on another. */
let lost: Member
let safe: Member

beforeAll(async () => {
  cluster = await openClusterPortal()
  receiver = await startWebhookServer()
  lost = await memberOn((worker) => worker === cluster.worker)
  safe = await memberOn((worker) => worker !== cluster.worker)
})
afterAll(async () => {
  await cluster.close()
  await receiver.close()
})

const query = (text: string, values: unknown[] = []) => cluster.portal.parts.database.pool.query(text, values)
const completed = { status: 'completed' }

/** Returns a power user of a new account with contacts, on a matching worker. */
async function memberOn(isWanted: (worker: string) => boolean): Promise<Member> {
  for (;;) {
    const account = await cluster.portal.account()
    if (!isWanted(await cluster.workerOf(account))) continue
    const member = await cluster.portal.member(account)
    const first = await importRows(cluster.portal, member, 0, 20_000)
    expect(await ended(member, first._id)).toMatchObject(completed)
    return member
  }
}

async function move(account: number, to: string): Promise<void> {
  const [host, port] = to.split(':')
  await query('SELECT citus_schema_move($1::regnamespace, $2::text, $3::int)', [
    `account_${account}`,
    host,
    Number(port),
  ])
}

/** Retries what Citus refuses while an import creates or drops tables, and on connections left by a stopped worker. */
async function whenLocksAllow<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (
        !/could not acquire the lock|could not find valid entry for shard|Could not fetch disk stats/.test(
          String(error),
        )
      )
        throw error
      await sleep(200)
    }
  }
}

test('an account moves back and forth under searches and an import', async () => {
  const home = await cluster.workerOf(safe.account)
  let moves = 0
  const statuses = await whileSearching([safe], async () => {
    const { _id } = await importRows(cluster.portal, safe, 10_000, 160_000)
    const isOver = async (): Promise<boolean> => {
      const { status } = (await safe.get(`/contact-service/v1/imports/${_id}`)).json<{ status: string }>()
      return status === 'completed' || status === 'rejected'
    }
    for (let to = cluster.worker; !(await isOver()) || to === home; moves++) {
      await whenLocksAllow(() => move(safe.account, to))
      to = to === home ? cluster.worker : home
      // An import creates its tables between moves.
      await sleep(2000)
    }
    expect(await ended(safe, _id)).toMatchObject({ ...completed, createdRecords: 140_000 })
  })
  expect(moves).toBeGreaterThanOrEqual(2)
  expect(await countContacts(cluster.portal, safe)).toEqual({ all: 160_000, distinct: 160_000 })
  expect(Object.keys(statuses)).toEqual(['200'])
})

test('a worker is added and accounts are rebalanced under load', async () => {
  const members = [lost, safe]
  while (members.length < 6) members.push(await memberOn(() => true))
  const statuses = await whileSearching(members, async () => {
    const imports = await Promise.all(members.map((member) => importRows(cluster.portal, member, 200_000, 230_000)))
    const [host, port] = cluster.spare.split(':')
    await query('SELECT citus_add_node($1, $2)', [host, Number(port)])
    await whenLocksAllow(() => query(`SELECT citus_rebalance_start(rebalance_strategy := 'by_shard_count')`))
    await query('SELECT citus_rebalance_wait()')
    for (const [at, member] of members.entries()) {
      expect(await ended(member, imports[at]?._id ?? '')).toMatchObject({ ...completed, createdRecords: 30_000 })
      const { all, distinct } = await countContacts(cluster.portal, member)
      expect(all).toBe(distinct)
    }
  })
  const places = await Promise.all(members.map(({ account }) => cluster.workerOf(account)))
  expect(places).toContain(cluster.spare)
  expect(Object.keys(statuses)).toEqual(['200'])
  if ((await cluster.workerOf(lost.account)) !== cluster.worker) await move(lost.account, cluster.worker)
  if ((await cluster.workerOf(safe.account)) === cluster.worker) await move(safe.account, cluster.spare)
})

describe('while a worker is away', () => {
  beforeAll(() => cluster.stopWorker())
  afterAll(() => cluster.startWorker())

  test('its accounts get 503 without hosts, and the portal is ready', async () => {
    const paths = ['offers?limit=1', 'imports', 'exports', 'deletes', 'fields', 'indexes/details']
    for (const path of paths) {
      const reply = await lost.get(`/contact-service/v1/${path}`)
      expect({ path, ...reply }).toMatchObject({ path, status: 503, headers: { 'retry-after': '60' } })
      expect(reply.body).toEqual({ error: { code: 'server_away', message: expect.stringContaining('data is safe') } })
    }
    expect((await cluster.portal.app.inject('/readyz')).statusCode).toBe(200)
  })

  test('metrics tell which one', async () => {
    const [host, port] = cluster.worker.split(':')
    const { rows } = await query('SELECT nodeid FROM pg_dist_node WHERE nodename = $1 AND nodeport = $2', [host, port])
    const [{ nodeid }] = rows as [{ nodeid: number }]
    const metrics = async () => (await cluster.portal.app.inject('/metrics')).body
    await expect.poll(metrics).toContain(`portico_database_worker_up{worker="${nodeid}"} 0`)
    expect((await metrics()).match(/portico_database_worker_up\{.*\} 1/g)).not.toBeNull()
    expect(await metrics()).not.toContain(String(port))
  })

  test('new accounts are refused, and nothing is left of them', async () => {
    const admin = await cluster.portal.powerAdmin()
    const count = async () => (await query('SELECT FROM portico.accounts')).rowCount
    const before = await count()
    const reply = await admin.post('/identity/v1/accounts', { name: 'Too early' })
    expect(reply).toMatchObject({ status: 503, body: { error: { code: 'server_away' } } })
    expect(await count()).toBe(before)
    expect((await query(`SELECT FROM pg_namespace WHERE nspname LIKE 'account%'`)).rowCount).toBe(before)
  })
})

describe('while a worker is away, accounts of other workers', () => {
  beforeAll(() => cluster.stopWorker())
  afterAll(() => cluster.startWorker())

  test('search, import, export, delete and record events', async () => {
    expect(await safe.get('/contact-service/v1/offers?limit=1')).toMatchObject({ status: 200 })
    const imported = await importRows(cluster.portal, safe, 300_000, 310_000)
    expect(await ended(safe, imported._id)).toMatchObject({ ...completed, createdRecords: 10_000, recoveryCount: 0 })
    const { _id } = await createExport(safe, exportDraft(['Email', 'City']))
    expect(await endedExport(safe, _id)).toMatchObject({ ...completed, recoveryCount: 0 })
    const filter = [{ $match: { City: 'City 7' } }]
    const matching = await query(`SELECT FROM account_${safe.account}.contacts WHERE c2 = 'City 7'`)
    const found = { count: matching.rowCount ?? 0 }
    expect(found.count).toBeGreaterThan(100)
    const deleted = await safe.delete('/contact-service/v1/offers', { filter, deletedRecords: found.count })
    expect(deleted).toMatchObject({ status: 200, body: { deletedCount: found.count } })
    const [contact] = (await safe.get('/contact-service/v1/offers?limit=1')).json<{ _id: string }[]>()
    const event = { id: crypto.randomUUID(), contactId: contact?._id ?? '', code: 'view', date: new Date() }
    const none = { appCode: null, path: null, element: null, browser: null, os: null, ip: null, pdid: null }
    const recorded = await recordEvents(cluster.portal.parts.database.db, safe.account, [
      { ...event, ...none, isTrigger: false, details: { colour: 'red' } },
    ])
    expect(recorded).toBe(1)
    const { db } = cluster.portal.parts.database
    await insertEventFields(db, safe.account, ['size', 'colour'])
  })

  test('import events', async () => {
    const draft = { kind: 'events', name: 'Events of an outage', filePath: 'outage.csv', fileDelimiter: 'comma' }
    const file = `Email,event_code,event_date,colour\n${Array.from({ length: 1000 }, (_, at) => `p${at}@x.org,view,2026-01-01T00:00:00Z,red\n`).join('')}`
    await upload(cluster.portal, safe, draft.filePath, file)
    const settings = { processBatchSize: 25, keyColumn: 'Email', keyField: 'Email', typeCasting: true }
    const reply = await safe.post('/contact-service/v1/imports', { ...draft, ...settings })
    expect(reply).toMatchObject({ status: 201 })
    expect(await ended(safe, reply.json<{ _id: string }>()._id)).toMatchObject({ ...completed, recoveryCount: 0 })
  })

  test('run crons', async () => {
    const cron = await addCron(safe, { instruction: { name: 'Daily', delimiter: 'csv', exportFields: ['Email'] } })
    await makeDue(cluster.portal, cron._id, new Date(Date.now() - 60_000))
    await expect.poll(async () => (await runsOf(safe, cron._id))[0]?.status).toBe('completed')
  })
})

test('once it is back, its accounts work, tables are dropped, and accounts can be created and moved', async () => {
  await expect.poll(async () => (await lost.get('/contact-service/v1/offers?limit=1')).status).toBe(200)
  const next = await importRows(cluster.portal, safe, 310_000, 310_100)
  expect(await ended(safe, next._id)).toMatchObject(completed)
  const left = async () =>
    (
      await query(`SELECT FROM pg_tables WHERE schemaname = $1 AND tablename LIKE 'stage%'`, [
        `account_${safe.account}`,
      ])
    ).rowCount
  await expect.poll(left).toBe(0)
  const admin = await cluster.portal.powerAdmin()
  expect(await admin.post('/identity/v1/accounts', { name: 'Too early' })).toMatchObject({ status: 201 })
  await whenLocksAllow(() => move(safe.account, cluster.worker))
  await whenLocksAllow(() => move(safe.account, cluster.spare))
})

test('an import waits for the worker of its account, and counts no tries', async () => {
  const before = await countContacts(cluster.portal, lost)
  const { _id } = await importRows(cluster.portal, lost, 400_000, 430_000)
  const status = async () => (await lost.get(`/contact-service/v1/imports/${_id}`)).json<{ status: string }>().status
  await vi.waitUntil(async () => (await status()) === 'processing', { timeout: 60_000, interval: 10 })
  await cluster.stopWorker()
  // Longer than an attempt waits to record its end.
  await sleep(45_000)
  await cluster.startWorker()
  await expect.poll(status, { timeout: 120_000 }).toBe('completed')
  expect(await ended(lost, _id)).toMatchObject({ ...completed, createdRecords: 30_000, recoveryCount: 0 })
  const all = before.all + 30_000
  expect(await countContacts(cluster.portal, lost)).toEqual({ all, distinct: all })
})

test(`a worker dies and comes back ${rounds} times in the middle of jobs of every kind`, async () => {
  const submitJob = await everyJob(cluster.portal, receiver.url)
  for (let round = 0; round < rounds; round++) {
    const jobs: SubmittedJob[] = []
    for (const kind of jobKindNames) jobs.push(await patiently(() => submitJob(kind)))
    const states = () => Promise.all(jobs.map(({ state }) => state().catch(() => 'away')))
    await vi.waitUntil(async () => (await states()).some((state) => underWay.includes(state)), { timeout: 60_000 })
    await sleep(Math.random() * 1500)
    await cluster.stopWorker()
    await sleep(3000 + Math.random() * 5000)
    await cluster.startWorker()
    const isOpen = (state: string) => ['away', 'waiting', ...underWay].includes(state)
    await vi.waitUntil(async () => !(await states()).some(isOpen), { timeout: 300_000, interval: 500 }).catch(() => {})
    const ends = await states()
    const outcomes = jobs.map(({ kind }, at) => `${kind}: ${ends[at]}`)
    expect(outcomes.filter((outcome) => !/: (completed|ready)$/.test(outcome))).toEqual([])
  }
})
