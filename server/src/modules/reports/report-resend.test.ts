import type { Dashboard } from '@portico/contract/dashboards'
import type { Cron } from '@portico/contract/scheduler/crons'
import type { CalendarDay, Schedule, ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, makeDue, schedules } from '#test/resources/crons.ts'
import type { MailServer } from '#test/stand-ins/mail-server.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import {
  dashboardOf,
  dueAt,
  endOfFirstRun,
  instructionFor,
  reportCron,
  year,
  type Reporting,
  startReporting,
  uploadTo,
  peopleTable,
} from '#test/resources/reports.ts'
import type { SftpServer } from '#test/stand-ins/sftp-server.ts'

// A run whose file was not delivered shows this everywhere, and delivers it after the cause is fixed.

let reporting: Reporting
let portal: TestPortal
let mail: MailServer
let sftp: SftpServer
let owner: Member

beforeAll(async () => {
  reporting = await startReporting()
  ;({ portal, mail, sftp } = reporting)
  owner = await portal.member(await portal.account())
  await addContacts(portal.parts.database, owner.account, { Name: 'string' }, [{ Name: 'Ada' }])
})
afterAll(() => reporting.close())

const transfer = (more: object = {}) => uploadTo(sftp, more)

const details = async (run: string) => (await owner.get(`${schedules}/${run}`)).json<ScheduleDetails>()
const stateOf = async (run: string) => (await details(run)).state

/** A cron whose first run was completed but not delivered, due to a wrong password. */
async function undelivered(
  more: object = {},
  dashboard?: Dashboard,
): Promise<{ cron: Cron; run: string; draft: ReturnType<typeof reportCron> }> {
  const instruction = instructionFor(dashboard ?? (await dashboardOf(owner, peopleTable)))
  const draft = reportCron(instruction, { ...transfer({ ftpPass: 'wrong' }), ...more })
  const cron = await addCron(owner, draft)
  await makeDue(portal, cron._id, dueAt)
  const { _id } = await endOfFirstRun(owner, cron._id)
  await expect.poll(() => stateOf(_id), { timeout: 40_000 }).toBe('undelivered')
  return { cron, run: _id, draft: { ...draft, cronStart: '2026-01-01' } }
}

const reason = 'its file could not be delivered: The server rejected the user name or password.'

describe('an undelivered run', () => {
  test('has its own state in details, lists, counts and the cron, and is completed for older clients', async () => {
    const { cron, run } = await undelivered()
    expect(await details(run)).toMatchObject({ status: 'completed', state: 'undelivered', comment: reason })
    const range = `from=${year}-10-01T00:00:00Z&to=${year}-12-01T00:00:00Z`
    const list = async (query: string) =>
      (await owner.get(`${schedules}?cronId=${cron._id}&${range}&${query}`)).json<Schedule[]>().map(({ _id }) => _id)
    expect(await list('state=undelivered')).toEqual([run])
    expect(await list('state=completed')).toEqual([])
    expect(await list('status=completed')).toEqual([run])
    const calendar = async (query: string) => {
      const path = `/scheduler/v1/calendar?consumerCode=BI&from=${year}-11-01&to=${year}-11-01&zone=UTC&${query}`
      return (await owner.get(path)).json<{ days: CalendarDay[] }>().days
    }
    expect(await calendar('')).toMatchObject([{ counts: { undelivered: 1 } }])
    expect(await calendar('state=completed')).toEqual([])
    expect(await calendar('state=undelivered')).toMatchObject([{ runs: [{ _id: run }] }])
    expect((await owner.get(`${crons}/${cron._id}`)).body).toMatchObject({
      lastRun: { status: 'completed', state: 'undelivered' },
    })
    expect((await owner.get(`${schedules}?cronId=${cron._id}&state=lost`)).status).toBe(400)
  })

  test('is reported by email with the reason and a link to the run', async () => {
    const { cron, run } = await undelivered({ notificationEmails: 'told@example.com' })
    const received = () => mail.received.filter(({ recipients }) => recipients.includes('told@example.com'))
    await expect.poll(() => received().length, { timeout: 40_000 }).toBe(1)
    const text = received()[0]?.message.text ?? ''
    expect(received()[0]?.message.subject).toBe('A scheduled report on Portico was not delivered')
    expect(text).toContain(`Schedule: “${cron.name}”`)
    expect(text).toContain(reason)
    expect(text).toContain(`/contact-service/dashboards?account=${owner.account}&schedules=1&run=${run}`)
  })

  test('is resent with the current settings of its cron', async () => {
    const { cron, run, draft } = await undelivered()
    const [before] = (await details(run)).deliveries
    expect(before?.resendTarget).toBe(`sftp://ada@127.0.0.1:${sftp.port}/in`)
    const renamed = { ...draft.instruction, download: { fileName: 'renamed', delimiter: 'comma' } }
    const change = { ...draft, ...transfer({ ftpFolder: 'mended' }), instruction: renamed, cronStart: cron.cronStart }
    // The test moved its first day.
    const { rows } = await portal.parts.database.pool.query<{ starts: string }>(
      'SELECT starts FROM portico.crons WHERE id = $1',
      [cron._id],
    )
    expect((await owner.put(`${crons}/${cron._id}`, { ...change, cronStart: rows[0]?.starts })).status).toBe(200)
    const [now] = (await details(run)).deliveries
    expect(now?.resendTarget).toBe(`sftp://ada@127.0.0.1:${sftp.port}/mended`)
    const other = await portal.member(await portal.account())
    const path = `${schedules}/${run}/deliveries/${now?._id}/resend`
    expect((await other.post(path)).status).toBe(404)
    expect((await (await portal.member(owner.account, 'scheduler::schedules::get')).post(path)).status).toBe(403)
    const replies = await Promise.all([owner.post(path), owner.post(path)])
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    await expect.poll(() => stateOf(run), { timeout: 40_000 }).toBe('completed')
    const file = `mended/renamed-${year}-11-01-0900.csv`
    expect(await details(run)).toMatchObject({
      comment: null,
      fileTransferStatus: 'completed',
      deliveries: [{ target: now?.resendTarget, result: expect.stringContaining(`to ${file}.`) }],
    })
    expect([...sftp.files.keys()].filter((name) => name.startsWith('mended/'))).toEqual([file])
  })

  test('is not resent if the cron no longer has that delivery', async () => {
    const { cron, run, draft } = await undelivered()
    const { rows } = await portal.parts.database.pool.query<{ starts: string }>(
      'SELECT starts FROM portico.crons WHERE id = $1',
      [cron._id],
    )
    const change = { ...draft, transferProtocol: '', cronStart: rows[0]?.starts }
    expect((await owner.put(`${crons}/${cron._id}`, change)).status).toBe(200)
    const [delivery] = (await details(run)).deliveries
    expect(delivery?.resendTarget).toBeNull()
    expect(await owner.post(`${schedules}/${run}/deliveries/${delivery?._id}/resend`)).toMatchObject({
      status: 409,
      body: { error: { message: 'The cron has no such delivery any more.' } },
    })
  })

  test('is not resent if the identity of its cron may no longer have such runs', async () => {
    const dashboard = await dashboardOf(owner, peopleTable)
    const { run } = await undelivered({}, dashboard)
    await dashboardOf(owner, peopleTable)
    expect((await owner.delete(`/contact-service/v1/dashboards/${dashboard._id}`)).status).toBe(204)
    const [delivery] = (await details(run)).deliveries
    expect(await owner.post(`${schedules}/${run}/deliveries/${delivery?._id}/resend`)).toMatchObject({
      status: 409,
      body: { error: { message: 'The dashboard was deleted, or is no longer shared with its author.' } },
    })
    expect(await stateOf(run)).toBe('undelivered')
  })

  test('is not resent to the destinations of another identity, which runs the due time again instead', async () => {
    const sharedWith = { paids: 'all', aids: [owner.account], users: 'all' }
    const { name, tags, definition, _id } = await dashboardOf(owner, peopleTable)
    const saved = await owner.put(`/contact-service/v1/dashboards/${_id}`, { name, tags, definition, sharedWith })
    const { cron, run } = await undelivered({}, saved.json<Dashboard>())
    const colleague = await portal.member(owner.account)
    expect((await colleague.post(`${crons}/${cron._id}/author`)).status).toBe(200)
    const [delivery] = (await details(run)).deliveries
    expect(await colleague.post(`${schedules}/${run}/deliveries/${delivery?._id}/resend`)).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringMatching(/^The cron now runs with the rights of another identity/) } },
    })
    const range = { from: dueAt.toISOString(), to: dueAt.toISOString(), which: 'unsuccessful' }
    expect(await colleague.post(`${crons}/${cron._id}/backfills`, range)).toMatchObject({ status: 202 })
  })
})
