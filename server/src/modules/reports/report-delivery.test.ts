import { randomBytes } from 'node:crypto'
import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, makeDue, schedules } from '#test/resources/crons.ts'
import { makeAttempt } from '#test/resources/deliveries.ts'
import type { MailServer } from '#test/stand-ins/mail-server.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import {
  dashboardOf,
  dueAt,
  endedRun,
  endOfFirstRun,
  fileOf,
  instructionFor,
  reportCron,
  year,
  type Reporting,
  startReporting,
  uploadTo,
  peopleTable,
} from '#test/resources/reports.ts'
import type { SftpServer } from '#test/stand-ins/sftp-server.ts'

// Deliveries of reports that fail at first, or are too large for an email.

let reporting: Reporting
let portal: TestPortal
let mail: MailServer
let sftp: SftpServer

beforeAll(async () => {
  reporting = await startReporting({ mailDailyLimit: 3 })
  ;({ portal, mail, sftp } = reporting)
})
afterAll(() => reporting.close())

/** A member of a new account, whose contacts have these names. */
async function memberWith(names: readonly string[]): Promise<Member> {
  const member = await portal.member(await portal.account())
  const rows = names.map((Name) => ({ Name }))
  await addContacts(portal.parts.database, member.account, { Name: 'string' }, rows)
  return member
}

test('a dropped connection leaves no incomplete file; the attempt is logged, and the next one succeeds', async () => {
  // More than fits into one packet of SFTP.
  const owner = await memberWith(Array.from({ length: 20 }, () => randomBytes(50_000).toString('base64')))
  Object.assign(sftp, { fault: 'drop', faultAfter: 700_000 })
  const draft = reportCron(instructionFor(await dashboardOf(owner, peopleTable)), {
    ...uploadTo(sftp),
  })
  const { _id } = await endedRun(portal, owner, draft)
  const details = async () => (await owner.get(`${schedules}/${_id}`)).json<ScheduleDetails>()
  await expect.poll(async () => (await details()).fileTransferStatus, { timeout: 30_000 }).toBe('recovery')
  const dropped = await details()
  expect(dropped.deliveries).toMatchObject([
    {
      kind: 'sftp',
      status: 'recovery',
      nextAttemptAt: expect.any(String),
      attempts: [{ isOk: false, result: expect.stringMatching(/connection was lost/i) }],
    },
  ])
  expect([...sftp.files.keys()]).toEqual([])

  await makeAttempt(portal, owner, dropped.deliveries[0]?._id ?? '')
  const done = await details()
  const { bytes } = await fileOf(portal, owner, done)
  const result = `Uploaded ${bytes.length} bytes to in/report-${year}-11-01-0900.csv.`
  expect(done).toMatchObject({
    status: 'completed',
    fileTransferStatus: 'completed',
    deliveries: [
      { status: 'completed', attempts: expect.arrayContaining([expect.objectContaining({ isOk: true, result })]) },
    ],
  })
  expect(done.deliveries[0]?.attempts).toHaveLength(2)
  expect([...sftp.files.keys()]).toEqual([`in/report-${year}-11-01-0900.csv`])
  expect(sftp.files.get(`in/report-${year}-11-01-0900.csv`)?.equals(bytes)).toBe(true)
})

test('without Overwrite reports of one name all arrive under distinct names; with it the last one replaces', async () => {
  const owner = await memberWith(['Ada'])
  const dashboard = await dashboardOf(owner, peopleTable)
  const transfer = { transferProtocol: 'sftp', ftpHost: '127.0.0.1', ftpPort: sftp.port, ftpFolder: 'in' }
  const account = { ...transfer, ftpUser: 'ada', ftpPass: 'right' }
  const uploadedTo = async (download: object) => {
    const { _id } = await endedRun(portal, owner, reportCron(instructionFor(dashboard, {}, download), account))
    const details = async () => (await owner.get(`${schedules}/${_id}`)).json<ScheduleDetails>()
    await expect.poll(async () => (await details()).fileTransferStatus, { timeout: 30_000 }).toBe('completed')
    return /bytes to in\/([^,]+)[.,]/.exec((await details()).deliveries[0]?.result ?? '')?.[1]
  }
  const dated = `totals-${year}-11-01-0900`
  expect(await uploadedTo({ fileName: 'totals' })).toBe(`${dated}.csv`)
  expect(await uploadedTo({ fileName: 'totals' })).toBe(`${dated}(2).csv`)
  expect(await uploadedTo({ fileName: 'totals', overwrite: true })).toBe('totals.csv')
  expect(await uploadedTo({ fileName: 'totals', overwrite: true })).toBe('totals.csv')
  expect([...sftp.files.keys()].filter((path) => path.includes('totals'))).toEqual([
    `in/${dated}.csv`,
    `in/${dated}(2).csv`,
    'in/totals.csv',
  ])
})

test('a file of more than 10 MB is not attached: the email says so, and has a link', async () => {
  const owner = await memberWith(Array.from({ length: 11 }, (_, at) => `${at}`.padEnd(1_000_000, 'x')))
  const notification = {
    from: 'reports@example.com',
    fromName: 'Reports',
    subject: 'Report {{reportName}}',
    bodyHtml: '<p>Get it: {{url}}</p>',
    bodyText: 'Get it: {{url}}',
    attachFiles: true,
  }
  const draft = reportCron(instructionFor(await dashboardOf(owner, peopleTable), { notification }), {
    notificationEmails: 'ann@example.com',
  })
  const run = await endedRun(portal, owner, draft)
  expect((await fileOf(portal, owner, run)).bytes.length).toBeGreaterThan(10_000_000)
  const received = () => mail.received.filter(({ recipients }) => recipients.includes('ann@example.com'))
  await expect.poll(() => received().length, { timeout: 30_000 }).toBe(1)
  const message = received()[0]?.message
  const link = `/downloads?account=${owner.account}`
  const note = 'The file is too large to be attached. You find it in Downloads.'
  expect(message?.attachments).toEqual([])
  expect(message?.html).toMatch(new RegExp(`<p>Get it: http[^<]*${link.replace('?', '\\?')}</p><p>${note}</p>`))
  expect(message?.text).toContain(`${link}\n\n${note}`)
})

describe('the email of a report', () => {
  const emailFrom = (from: string) => ({ from, fromName: 'Reports', subject: 'Report', bodyHtml: '<p>{{url}}</p>' })
  /** Waits until the run reports that its email was not delivered. */
  async function undeliveredRun(owner: Member, run: ScheduleDetails) {
    const details = async () => (await owner.get(`${schedules}/${run._id}`)).json<ScheduleDetails>()
    await expect
      .poll(async () => (await details()).comment, { timeout: 40_000 })
      .toMatch(/^its file could not be delivered: Not sent/)
    const { status, fileTransferStatus, deliveries } = await details()
    return { status, fileTransferStatus, result: deliveries[0]?.attempts[0]?.result }
  }
  const undelivered = { status: 'completed', fileTransferStatus: 'rejected' }

  test('requires a verified sender when the cron is saved, and is not sent once the sender is removed', async () => {
    const owner = await memberWith(['Ada'])
    const dashboard = await dashboardOf(owner, peopleTable)
    const from = 'news@acme.example'
    const draft = reportCron(instructionFor(dashboard, { notification: emailFrom(from) }))
    const { pool } = portal.parts.database
    expect((await owner.post(crons, draft)).body).toMatchObject({
      error: { details: [{ field: 'instruction.notification.from', message: expect.stringContaining(from) }] },
    })
    await pool.query(
      `INSERT INTO portico.mail_senders (id, account_id, address, requested_by, requested_at, verified_at)
       VALUES (gen_random_uuid(), $1, $2, $3, now(), now())`,
      [owner.account, from, owner.email],
    )
    const { _id } = await addCron(owner, draft)
    await pool.query('UPDATE portico.mail_senders SET removed_at = now(), verified_at = NULL WHERE address = $1', [
      from,
    ])
    await makeDue(portal, _id, dueAt)
    expect(await undeliveredRun(owner, await endOfFirstRun(owner, _id))).toEqual({
      ...undelivered,
      result: `Not sent: ${from} was removed from the verified senders of this account.`,
    })
  })

  test('counts each recipient in the daily number of the account, with at most 50', async () => {
    const owner = await memberWith(['Ada'])
    const notification = emailFrom('reports@example.com')
    const draft = reportCron(instructionFor(await dashboardOf(owner, peopleTable), { notification }))
    const to = (count: number): string => Array.from({ length: count }, (_, at) => `r${at}@example.com`).join(', ')
    expect((await owner.post(crons, { ...draft, notificationEmails: to(51) })).body).toMatchObject({
      error: { details: [{ field: 'notificationEmails', message: 'Use at most 50 addresses.' }] },
    })
    const run = await endedRun(portal, owner, { ...draft, notificationEmails: to(4) })
    expect(await undeliveredRun(owner, run)).toEqual({
      ...undelivered,
      result: 'Not sent: the account has reached its 3 emails a day. Resend it tomorrow.',
    })
    expect(mail.received.filter(({ recipients }) => recipients.includes('r0@example.com'))).toEqual([])
  })
})
