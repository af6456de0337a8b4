import type { Dashboard } from '@portico/contract/dashboards'
import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { expect } from 'vitest'
import { addCron, makeDue, newCron, runsOf, schedules } from './crons.ts'
import { createDashboard, definition, onlyFor } from './dashboards.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type SftpServer, startSftpServer } from '#test/stand-ins/sftp-server.ts'

/** The latest year whose 1 November is past. */
export const year = new Date(Date.now() - 306 * 86_400_000).getUTCFullYear()
/** The time for which reports of tests are due. */
export const dueAt = new Date(`${year}-11-01T09:00:00Z`)

/** A chart of the contacts of each city. */
export const byCity = {
  type: 'Column',
  title: 'By city',
  options: { colors: ['#1971c2'] },
  filter: { standard: [{ $group: { _id: '$City', count: { $count: {} } } }, { $sort: { _id: 1 } }] },
}

/** A table of the names of all contacts that have one. */
export const peopleTable = {
  type: 'PaginaTable',
  title: 'People',
  filter: { standard: [{ $match: { Name: { $exists: true } } }], columns: ['Name'], sort: { Name: 1 } },
}

/** A portal with a worker, and the servers that receive its emails and files. */
export type Reporting = { portal: TestPortal; mail: MailServer; sftp: SftpServer; close: () => Promise<void> }

export async function startReporting(settings: { mailDailyLimit?: number } = {}): Promise<Reporting> {
  const [mail, sftp] = [await startMailServer(), await startSftpServer()]
  const receivers = { smtpUrl: mail.url, outboundAllow: ['127.0.0.1'], mailSenderDomains: ['example.com'] }
  const portal = await startPortal({ ...receivers, ...settings })
  await portal.startWorker()
  const close = async () => {
    await portal.close()
    await mail.close()
    await sftp.close()
  }
  return { portal, mail, sftp, close }
}

/** The settings of a cron that uploads its files to the server. */
export const uploadTo = ({ port }: SftpServer, changes: object = {}) => ({
  transferProtocol: 'sftp',
  ftpHost: '127.0.0.1',
  ftpPort: port,
  ftpFolder: 'in',
  ftpUser: 'ada',
  ftpPass: 'right',
  ...changes,
})

/** Creates a dashboard of these cells. */
export const dashboardOf = (by: Member, ...charts: object[]): Promise<Dashboard> =>
  createDashboard(by, {
    sharedWith: onlyFor(by),
    definition: definition(...charts.map((chart, at) => [{ id: `cell${at}`, cols: 12, chart }])),
  })

export const instructionFor = ({ _id }: Dashboard, changes: Record<string, unknown> = {}, download: object = {}) => ({
  url: `/api/contact-service/v1/dashboards/${_id}`,
  download: { fileName: 'report', delimiter: 'comma', ...download },
  ...changes,
})

/** Returns a cron of reports that is not due during a test. */
export const reportCron = (instruction: Record<string, unknown>, changes: Record<string, unknown> = {}) => ({
  ...newCron({ cron: '0 0 1 1 *', consumerCode: 'BI' }),
  instruction,
  ...changes,
})

/** Runs a cron for the due time, and waits until the run has ended. */
export async function endedRun(
  portal: TestPortal,
  by: Member,
  draft: ReturnType<typeof reportCron>,
): Promise<ScheduleDetails> {
  const cron = await addCron(by, draft)
  await makeDue(portal, cron._id, dueAt)
  return endOfFirstRun(by, cron._id)
}

/** Waits until the first run of a cron has ended. */
export async function endOfFirstRun(by: Member, cron: string, timeout = 30_000): Promise<ScheduleDetails> {
  const first = async () => (await runsOf(by, cron))[0]
  await expect.poll(async () => (await first())?.status, { timeout }).toMatch(/completed|terminated/)
  return (await by.get(`${schedules}/${(await first())?._id}`)).json<ScheduleDetails>()
}

/** Downloads the file of a completed run; its text comes without the byte order mark. */
export async function fileOf(
  portal: TestPortal,
  by: Member,
  run: ScheduleDetails,
): Promise<{ bytes: Buffer; text: string; disposition: string }> {
  expect(run).toMatchObject({ status: 'completed' })
  const { protocol, pathname } = new URL(run.fileUrl ?? '')
  expect(protocol).toMatch(/^https?:$/)
  const { url } = (await by.get(pathname.replace(/^\/api/, ''))).json<{ url: string }>()
  const { rawPayload, body, headers } = await portal.app.inject({ url })
  return { bytes: rawPayload, text: body.replace(/^\uFEFF/, ''), disposition: String(headers['content-disposition']) }
}
