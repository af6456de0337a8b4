import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { hasCode } from '#platform/embedded-postgres/account.ts'
import { everyJob, jobKindNames, patiently, type SubmittedJob, underWay } from '#test/kit/every-job.ts'
import { isRunning } from '#test/processes/main-process.ts'
import { openPortal, type TestPortal } from '#test/kit/portal.ts'
import { portalFolder, type RunningPortal } from '#test/processes/running-portal.ts'
import { rounds } from '#test/processes/rounds.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// The processes of the embedded PostgreSQL are killed in the middle of jobs, like by the kernel when memory runs out.

let folder: Awaited<ReturnType<typeof portalFolder>>
let running: RunningPortal
let portal: TestPortal
let receiver: WebhookServer
let submit: Awaited<ReturnType<typeof everyJob>>

// On a busy machine each recovery takes many seconds.
const mostMs = 600_000

beforeAll(async () => {
  folder = await portalFolder({ OUTBOUND_ALLOW: '127.0.0.1' })
  receiver = await startWebhookServer()
  running = await folder.start()
  await running.ready()
  portal = await openPortal(folder.dataDir, await folder.databaseUrl(), { outboundAllow: ['127.0.0.1'] })
  submit = await everyJob(portal, receiver.url)
}, mostMs)
afterAll(async () => {
  await portal.close()
  await folder.remove()
  await receiver.close()
})

const kills = rounds(12, 30)

/** Waits until the jobs have ended, and returns those that did not succeed. */
async function failures(jobs: SubmittedJob[]): Promise<string[]> {
  const bad: string[] = []
  for (const { kind, state } of jobs) {
    const last = await vi
      .waitUntil(
        async () => {
          const now = await state().catch(() => 'unknown')
          return ['unknown', 'waiting', ...underWay].includes(now) ? false : now
        },
        { timeout: 200_000, interval: 100 },
      )
      .catch(async () => `stays ${await state().catch(String)}`)
    if (!['completed', 'ready'].includes(last)) bad.push(`${kind}: ${last}`)
  }
  return bad
}

async function isReadyAgain(): Promise<void> {
  await vi.waitUntil(async () => (await fetch(`${running.url}/readyz`)).status === 200, { timeout: 120_000 })
}

/** Sends a signal to a process, which may have ended in the meantime. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** Ends a connection of the portal: only that one with `SIGTERM`; after `SIGKILL`, PostgreSQL ends all and restarts. */
async function killBackend(signal: NodeJS.Signals): Promise<void> {
  const { rows } = await patiently(() =>
    portal.parts.database.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'portico%' AND pid <> pg_backend_pid()
       ORDER BY state = 'active' DESC, random() LIMIT 1`,
    ),
  )
  if (rows[0]) sendSignal(rows[0].pid, signal)
}

/** Returns the state of a job; `away` while the database is down. */
const stateOf = (job: SubmittedJob): Promise<string> => job.state().catch(() => 'away')
const isOpen = (state: string): boolean => ['away', 'waiting', ...underWay].includes(state)

test('the portal and its jobs survive killed connections', { timeout: mostMs }, async () => {
  const jobs: SubmittedJob[] = []
  for (const kind of jobKindNames) jobs.push(await patiently(() => submit(kind)))
  for (let kill = 0; kill < kills; kill++) {
    await sleep(Math.random() * 300)
    await killBackend(kill % 3 === 0 ? 'SIGKILL' : 'SIGTERM')
    if (!isRunning(running.child)) throw new Error(running.output())
  }
  expect(await failures(jobs)).toEqual([])
  await isReadyAgain()
})

test('a killed database server is restarted, and every kind of job resumes', { timeout: mostMs }, async () => {
  const jobs: SubmittedJob[] = []
  const hit = new Set<string>()
  while (hit.size < jobKindNames.length) {
    const states = await Promise.all(jobs.map(stateOf))
    const open = jobs.filter((_job, at) => isOpen(states[at] ?? ''))
    // A job that ended before it was seen is submitted again.
    for (const kind of jobKindNames) {
      if (!hit.has(kind) && !open.some((job) => job.kind === kind)) jobs.push(await patiently(() => submit(kind)))
    }
    const busy = jobs.filter((_job, at) => underWay.includes(states[at] ?? ''))
    if (busy.every(({ kind }) => hit.has(kind))) continue
    for (const { kind } of busy) hit.add(kind)
    const before = await folder.postmaster()
    if (before !== null) sendSignal(before, 'SIGKILL')
    await vi.waitUntil(async () => ![before, null].includes(await folder.postmaster()), { timeout: 60_000 })
    await isReadyAgain()
  }
  expect(await failures(jobs)).toEqual([])
  if (!isRunning(running.child)) throw new Error(running.output())
})
