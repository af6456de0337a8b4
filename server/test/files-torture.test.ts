import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEventImport } from '@portico/contract/imports'
import type { NotificationInput } from '@portico/contract/notifications'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { removeAbandoned } from '#files'
import { hasCode } from '#platform/embedded-postgres/account.ts'
import { fileKeys } from '../src/registrations.ts'
import { addCron, makeDue } from '#test/resources/crons.ts'
import { patiently } from '#test/kit/every-job.ts'
import { createExport, exportDraft } from '#test/resources/exports.ts'
import { filesWithoutRecord, recordsWithoutFile } from '#test/kit/files-and-records.ts'
import { submit, upload } from '#test/resources/imports.ts'
import { killProcess } from '#test/processes/main-process.ts'
import { type Member, openPortal, type TestPortal } from '#test/kit/portal.ts'
import { dashboardOf, instructionFor, reportCron } from '#test/resources/reports.ts'
import { portalFolder, type RunningPortal } from '#test/processes/running-portal.ts'

// A portal is killed in every way while it creates files: once each, or as often as PORTICO_FILE_KILLS says, with files
// that take longer to create. `npm run torture:files` kills it 24 times, which takes some minutes.

const kills = Number(process.env['PORTICO_FILE_KILLS'] ?? 4)
const delivery: NotificationInput = {
  type: 'email',
  from: 'reports@acme.example',
  fromName: 'Reports',
  to: 'ada@example.com',
  subject: 'All contacts',
  htmlBody: '<a href="{{url}}">All contacts</a>',
  textBody: 'Get them: {{url}}',
}
const rows = kills > 4 ? 8000 : 1000

let folder: Awaited<ReturnType<typeof portalFolder>>
let running: RunningPortal
let portal: TestPortal
let member: Member
let report: ReturnType<typeof reportCron>

beforeAll(async () => {
  folder = await portalFolder({ MAIL_SENDER_DOMAINS: 'acme.example' })
  running = await folder.start()
  await running.ready()
  portal = await openPortal(folder.dataDir, await folder.databaseUrl(), { mailSenderDomains: ['acme.example'] })
  member = await portal.member(await portal.account())
  await submit(portal, member, contactFile(0), { dedupColumns: ['Email'] })
  await noneUnderWay()
  const table = {
    type: 'PaginaTable',
    title: 'People',
    filter: { standard: [{ $match: { Email: { $exists: true } } }], columns: ['Email'], sort: { Email: 1 } },
  }
  report = reportCron(instructionFor(await dashboardOf(member, table)))
})
afterAll(async () => {
  await portal.close()
  await folder.remove()
})

/** Every fifth row has an extra cell, and is set aside. */
const contactFile = (round: number): string =>
  `Email,City\n${Array.from({ length: rows }, (_, at) => `p${at + round}@x.org,Bern${at % 5 ? '' : ',,,'}\n`).join('')}`

/** Every other row matches no contact, and is set aside after the file was examined. */
const eventFile = (): string =>
  `Email,event_code,event_date\n${Array.from({ length: rows }, (_, at) => `${at % 2 ? 'p' : 'x'}${at}@x.org,view,2026-01-01T00:00:00Z\n`).join('')}`

async function submitAll(round: number): Promise<void> {
  await patiently(() => submit(portal, member, contactFile(round), { dedupColumns: ['Email'] }))
  await patiently(() => createExport(member, exportDraft(['Email', 'City'], { notifications: [delivery] })))
  await patiently(() => createExport(member, exportDraft(['Email'], { shouldZip: true })))
  const events: NewEventImport = {
    kind: 'events',
    name: `Events ${round}`,
    filePath: `events${round}.csv`,
    fileDelimiter: 'comma',
    processBatchSize: 25,
    keyColumn: 'Email',
    keyField: 'Email',
    typeCasting: true,
  }
  await patiently(() => upload(portal, member, events.filePath, eventFile()))
  await patiently(() => member.post('/contact-service/v1/imports', events))
  const cron = await patiently(() => addCron(member, { ...report, name: `Report ${round}` }))
  await patiently(() => makeDue(portal, cron._id, new Date()))
}

/** Begins an upload to the running portal that never ends. */
async function beginUpload(round: number): Promise<void> {
  const { url } = (
    await patiently(() => member.get(`/contact-service/v1/uploads/half${round}.csv?type=text/csv`))
  ).json<{
    url: string
  }>()
  const socket = connect(Number(new URL(running.url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `PUT ${url} HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n\r\n${'x,'.repeat(50_000)}`,
  )
}

const states = async (): Promise<string[]> => {
  const { rows: found } = await portal.parts.database.pool.query<{ status: string }>(
    ['imports', 'exports', 'reports']
      .map((table) => `SELECT status FROM account_${member.account}.${table}`)
      .join(' UNION ALL '),
  )
  return found.map(({ status }) => status)
}

/** Counts the emails about exports by state, with the reasons of those that were not sent. */
async function deliveries(): Promise<Record<string, number>> {
  const schema = `account_${member.account}`
  const { rows: found } = await portal.parts.database.pool.query<{ state: string }>(
    `SELECT CASE WHEN d.status = 'completed' THEN 'sent' ELSE
       concat_ws('; ', 'export', e.status, e.recovery_error, 'email', d.status, d.result, d.next_attempt_at) END AS state
     FROM ${schema}.deliveries d JOIN ${schema}.exports e ON d.subject_kind = 'export' AND d.subject_id = e.id`,
  )
  return Object.fromEntries(
    Object.entries(Object.groupBy(found, ({ state }) => state)).map(([state, all]) => [state, all?.length ?? 0]),
  )
}

/** Returns the jobs that have not ended, with their reasons. */
async function underWay(): Promise<string[]> {
  const { rows: found } = await portal.parts.database.pool.query<{ job: string }>(
    ['imports', 'exports', 'reports']
      .map(
        (table) =>
          `SELECT concat_ws(' ', '${table}', id, status, 'recovered', recovery_count, recovery_error) AS job FROM account_${member.account}.${table}
           WHERE status NOT IN ('completed', 'rejected')`,
      )
      .join(' UNION ALL '),
  )
  return found.map(({ job }) => job)
}

const noneUnderWay = (): Promise<void> =>
  vi.waitFor(async () => expect(await underWay()).toEqual([]), { timeout: 120_000 + kills * 20_000, interval: 200 })

/**
 * Waits until the jobs of earlier rounds have ended except for a few, none of which was hit by several kills: a job
 * that has cost six workers' lives is rejected, as it may be the cause. In this test it never is.
 */
async function fewUnderWay(): Promise<void> {
  const worn = /recovered [3-9]/
  await vi.waitUntil(
    async () => {
      const jobs = await underWay().catch(() => null)
      return jobs !== null && jobs.length <= 5 && !jobs.some((job) => worn.test(job))
    },
    { timeout: 240_000, interval: 200 },
  )
}

function sendKill(pid: number | null | undefined): void {
  try {
    if (pid) process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

async function killBackend(): Promise<void> {
  const { rows: found } = await patiently(() =>
    portal.parts.database.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'portico%' AND pid <> pg_backend_pid()
       ORDER BY state = 'active' DESC, random() LIMIT 1`,
    ),
  )
  sendKill(found[0]?.pid)
}

const ways: ((postmaster: number | null) => Promise<void>)[] = [
  async () => killProcess(running.child),
  async (postmaster) => {
    sendKill(postmaster)
    await killProcess(running.child)
  },
  async (postmaster) => sendKill(postmaster),
  killBackend,
]

async function startAgain(): Promise<void> {
  if (running.child.exitCode === null && running.child.signalCode === null) return
  running = await folder.start()
  await running.ready()
}

test(
  'files and records still match after kills of the server, the database or both',
  { timeout: 120_000 + kills * 60_000 },
  async ({ annotate }) => {
    for (let round = 0; round < kills; round++) {
      await fewUnderWay()
      await submitAll(round + 1)
      await beginUpload(round)
      await sleep(Math.random() * 1500)
      await ways[round % ways.length]?.(await folder.postmaster())
      await startAgain()
    }
    await noneUnderWay()
    await vi.waitFor(async () => expect(await deliveries()).toEqual({ sent: kills }), {
      timeout: 60_000,
      interval: 200,
    })
    // Nothing is being written, so all pending files are old enough.
    const abandoned = await patiently(() => removeAbandoned(portal.parts, fileKeys, new Date()))
    expect(await filesWithoutRecord(portal)).toEqual([])
    expect(await recordsWithoutFile(portal, [member.account])).toEqual([])
    const ended = await states()
    expect(ended.filter((status) => status === 'completed').length).toBeGreaterThan(kills)
    await annotate(`${kills} kills, ${ended.length} jobs ended, ${abandoned} abandoned files were removed`)
  },
)
