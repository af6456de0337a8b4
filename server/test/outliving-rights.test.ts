import type { Cron } from '@portico/contract/scheduler/crons'
import type { Schedule, ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openCells } from '#dashboards'
import { runExport } from '#exports'
import { runReport } from '#reports'
import { grant, identityOf } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, makeDue, newCron, runsOf, schedules } from '#test/resources/crons.ts'
import { createDashboard, definition, inAccounts, pie, refused } from '#test/resources/dashboards.ts'
import { deliveryDeps, deliveryOf, exportWith, makeAttempt } from '#test/resources/deliveries.ts'
import { exportDraft } from '#test/resources/exports.ts'
import {
  condition,
  type Loss,
  lossesOfCrons,
  lossesOfExports,
  lossesOfReports,
  makeMaker,
  type Maker,
  right,
  rights,
} from '#test/oracles/losses.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { reportCron, uploadTo } from '#test/resources/reports.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'
import { type SftpServer, startSftpServer } from '#test/stand-ins/sftp-server.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// Crons and exports end with the rights of the identity that saved them, and with any condition that would prevent it
// from saving them now: at each run, retry and delivery, when a file is sent again, and at each use of a link.

let portal: TestPortal
let server: WebhookServer
let mail: MailServer
let sftp: SftpServer
let owner: Member

beforeAll(async () => {
  ;[server, mail, sftp] = await Promise.all([startWebhookServer(), startMailServer(), startSftpServer()])
  portal = await startPortal({
    outboundAllow: ['127.0.0.1'],
    smtpUrl: mail.url,
    mailSenderDomains: ['example.com'],
    mailDailyLimit: 10_000,
  })
  owner = await portal.member(await portal.account())
  await addContacts(portal.parts.database, owner.account, { Name: 'string', City: 'string' }, [
    { Name: 'Ada', City: 'Bern' },
  ])
})
afterAll(async () => {
  await portal.close()
  await Promise.all([server.close(), mail.close(), sftp.close()])
})

const query = (text: string, ...values: unknown[]) => portal.parts.database.pool.query(text, values)
const stop = () => new AbortController().signal

/** A kind of crons: how to save one, and how a worker does the work of its run. */
type Kind = {
  consumer: 'EXPORT' | 'BI'
  losses: Loss[]
  save: (maker: Maker) => Promise<Cron>
  work: (job: string) => Promise<void>
}

const kinds: Kind[] = [
  {
    consumer: 'EXPORT',
    losses: [...lossesOfExports, ...lossesOfCrons],
    save: ({ member }) =>
      addCron(member, {
        instruction: { name: 'Daily export', delimiter: 'csv', exportFields: ['Name'], notifications: [hook()] },
      }),
    work: (job) => runExport(portal.parts, owner.account, job, stop()),
  },
  {
    consumer: 'BI',
    losses: lossesOfReports,
    save: async (maker) => {
      maker.dashboard = await dashboardBy(maker.member)
      const notification = {
        from: 'reports@example.com',
        fromName: 'R',
        subject: 'S',
        bodyHtml: '<p>x</p>',
        attachFiles: true,
      }
      const url = `/api/contact-service/v1/dashboards/${maker.dashboard}`
      const instruction = { url, download: { fileName: 'report', delimiter: 'comma' }, notification }
      return addCron(maker.member, reportCron(instruction, uploadTo(sftp)))
    },
    work: (job) => runReport({ ...portal.parts, cells: openCells(portal.parts.database) }, owner.account, job, stop()),
  },
]

const dashboardBy = async (member: Member): Promise<string> => {
  const cells = definition([{ id: 'cell0', cols: 12, chart: pie('Cities') }])
  return (await createDashboard(member, { sharedWith: inAccounts(owner.account), definition: cells }))._id
}

const hook = () => ({
  type: 'http' as const,
  method: 'post' as const,
  endpoint: `${server.url}/hook`,
  headers: {},
  body: { link: '{{url}}' },
  signedUrlExpiryBySecond: 604_800,
})

/** Saves a cron, and saves it again, which makes conditions on its id apply. */
async function saveCron(kind: Kind, maker: Maker): Promise<Cron> {
  const cron = await kind.save(maker)
  maker.cron = cron._id
  const saved = await maker.member.put(`${crons}/${cron._id}`, cron)
  expect(saved).toMatchObject({ status: 200 })
  return saved.json<Cron>()
}

const schedulerTurn = () => runSchedulerOnce(portal.parts)
const firstRun = async (cron: string): Promise<Schedule | undefined> =>
  (await runsOf(owner, cron)).find(({ status }) => status !== 'waiting')

/** Starts the run of a due cron. Returns the id of its job. */
async function startRun({ cron }: Maker): Promise<string> {
  await makeDue(portal, cron, new Date(Date.now() - 5000))
  await schedulerTurn()
  expect(await firstRun(cron)).toMatchObject({ status: 'processing' })
  return (await details(cron)).job?._id ?? ''
}

/** Returns the runs of a cron that are not upcoming, after one round of the scheduler. */
async function endedRuns({ cron }: Maker): Promise<Schedule[]> {
  await schedulerTurn()
  return (await runsOf(owner, cron)).filter(({ status }) => status !== 'waiting')
}

const refusedRun = {
  status: 'terminated',
  comment: expect.stringMatching(/may not|no longer allow|disabled/),
} as object

const details = async (cron: string): Promise<ScheduleDetails> =>
  (await owner.get(`${schedules}/${(await firstRun(cron))?._id}`)).json<ScheduleDetails>()

/** Makes the next attempt at each delivery of the run. Returns their outcomes. */
async function deliver(cron: string): Promise<ScheduleDetails['deliveries']> {
  const deps = deliveryDeps(portal)
  for (const { _id } of (await details(cron)).deliveries) await makeAttempt(portal, owner, _id, deps)
  return (await details(cron)).deliveries
}

const outside = () => [server.received.length, mail.received.filter(hasFile).length, sftp.files.size]
const hasFile = ({ message }: MailServer['received'][number]) => message.attachments.length > 0

/** Returns a cron whose run has been delivered. */
async function delivered(kind: Kind): Promise<{ maker: Maker; run: string; deliveries: string[] }> {
  const maker = await makeMaker(portal, owner.account)
  await saveCron(kind, maker)
  await kind.work(await startRun(maker))
  await schedulerTurn()
  const deliveries = await deliver(maker.cron)
  expect(deliveries.map(({ status }) => status)).toEqual(deliveries.map(() => 'completed'))
  expect(deliveries).toHaveLength(kind.consumer === 'BI' ? 2 : 1)
  return { maker, run: (await details(maker.cron))._id, deliveries: deliveries.map(({ _id }) => _id) }
}

describe.each(kinds)('a cron of $consumer', (kind) => {
  const { losses, work } = kind
  let maker: Maker
  beforeEach(async () => {
    maker = await makeMaker(portal, owner.account)
  })

  test.each(losses)('has no run and cannot be saved once $name', async ({ lose }) => {
    const cron = await saveCron(kind, maker)
    await lose(maker)
    expect([401, 403]).toContain((await maker.member.put(`${crons}/${cron._id}`, cron)).status)
    await makeDue(portal, maker.cron, new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000))
    expect(await endedRuns(maker)).toMatchObject([refusedRun])
    expect(await owner.post(`${crons}/${maker.cron}/run`)).toMatchObject({ status: 202 })
    expect(await endedRuns(maker)).toMatchObject([refusedRun, refusedRun])
    const [first] = await runsOf(owner, maker.cron)
    const range = { from: first?.date, to: first?.date, which: 'all' }
    expect(await owner.post(`${crons}/${maker.cron}/backfills`, range)).toMatchObject({ status: 202 })
    expect(await endedRuns(maker)).toMatchObject([refusedRun, refusedRun, refusedRun])
  })

  test.each(losses)('writes no file once $name after its run began', async ({ lose }) => {
    await saveCron(kind, maker)
    const job = await startRun(maker)
    await lose(maker)
    await work(job)
    await schedulerTurn()
    expect(await firstRun(maker.cron)).toMatchObject({ ...refusedRun, fileUrl: null })
  })

  test.each(losses)('delivers nothing once $name after its file was written', async ({ lose }) => {
    await saveCron(kind, maker)
    await work(await startRun(maker))
    await schedulerTurn()
    await lose(maker)
    const before = outside()
    const deliveries = await deliver(maker.cron)
    expect(deliveries).toHaveLength(kind.consumer === 'BI' ? 2 : 1)
    for (const delivery of deliveries) {
      expect(delivery).toMatchObject({ status: 'rejected', result: expect.stringMatching(/^Nothing was sent/) })
    }
    expect(outside()).toEqual(before)
  })

  test.each(losses)('resends nothing once $name', async ({ lose }) => {
    const sent = await delivered(kind)
    await lose(sent.maker)
    for (const delivery of sent.deliveries) {
      const resent = await owner.post(`${schedules}/${sent.run}/deliveries/${delivery}/resend`)
      expect(resent).toMatchObject(refused(409, 'not_ready'))
    }
  })

  test('runs, delivers and resends while its creator has all of these rights', async () => {
    const sent = await delivered(kind)
    for (const delivery of sent.deliveries) {
      const resent = await owner.post(`${schedules}/${sent.run}/deliveries/${delivery}/resend`)
      expect(resent).toMatchObject({ status: 200 })
    }
    const before = outside()
    const again = await deliver(sent.maker.cron)
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 'completed'))
    expect(outside()).not.toEqual(before)
  })
})

const linkIn = (body: string) => new URL((JSON.parse(body) as { link: string }).link)
const opened = async (link: URL) => (await portal.app.inject(`${link.pathname}${link.search}`)).statusCode

describe('a link in a delivery', () => {
  const [ofExports] = kinds

  test.each([...lossesOfExports, ...lossesOfCrons])('of a cron ends once $name', async ({ lose }) => {
    if (!ofExports) throw new Error('Exports have crons.')
    const { maker } = await delivered(ofExports)
    const link = linkIn(server.received.at(-1)?.body ?? '')
    expect(await opened(link)).toBe(200)
    await lose(maker)
    expect(await opened(link)).toBe(403)
  })

  test.each(lossesOfExports)('of an export ends once $name, and the file is not resent', async ({ lose }) => {
    const maker = await makeMaker(portal, owner.account)
    const { _id } = await exportWith(portal, maker.member, hook())
    const delivery = await deliveryOf(owner, _id)
    await makeAttempt(portal, owner, delivery._id)
    const link = linkIn(server.received.at(-1)?.body ?? '')
    expect(await opened(link)).toBe(200)
    // A link is for one file, regardless of which files its delivery sends.
    const other = await portal.member(owner.account)
    await exportWith(portal, other, hook())
    await lose(maker)
    expect(await opened(link)).toBe(403)
    const count = server.received.length
    await owner.post(`/contact-service/v1/exports/${_id}/deliveries/${delivery._id}/resend`)
    await makeAttempt(portal, owner, delivery._id)
    expect(await deliveryOf(owner, _id)).toMatchObject({ status: 'rejected' })
    expect(server.received).toHaveLength(count)
  })

  test('still works after a change of policies that allows its export', async () => {
    const maker = await makeMaker(portal, owner.account)
    const { _id } = await exportWith(portal, maker.member, hook(), exportDraft(['Name'], { notifications: [hook()] }))
    await makeAttempt(portal, owner, (await deliveryOf(owner, _id))._id)
    const link = linkIn(server.received.at(-1)?.body ?? '')
    await condition('exports', 'columns', () => 'body::exportFields::in::Name').lose(maker)
    expect(await opened(link)).toBe(200)
  })
})

describe('a report of a dashboard that another person saved', () => {
  test('ends with the right of that person if its creator has none to contacts', async () => {
    const [author, maker] = [await makeMaker(portal, owner.account), await makeMaker(portal, owner.account)]
    await right('contacts').lose(maker)
    const dashboard = await dashboardBy(author.member)
    const instruction = {
      url: `/api/contact-service/v1/dashboards/${dashboard}`,
      download: { fileName: 'report', delimiter: 'comma' },
    }
    const draft = reportCron(instruction, uploadTo(sftp))
    maker.cron = (await addCron(maker.member, draft))._id
    const job = await startRun(maker)
    await runReport({ ...portal.parts, cells: openCells(portal.parts.database) }, owner.account, job, stop())
    await schedulerTurn()
    await right('contacts').lose(author)
    const before = outside()
    expect(await deliver(maker.cron)).toMatchObject([
      { status: 'rejected', result: expect.stringContaining('The author may not read contacts of this account.') },
    ])
    expect(outside()).toEqual(before)
    expect(await maker.member.post(crons, { ...draft, name: 'Another' })).toMatchObject(refused(403, 'not_allowed'))
  })
})

test('a cron can be saved only if a single identity may both save it and have its runs', async () => {
  const member = await portal.member(owner.account, 'scheduler::*::*')
  const other = crypto.randomUUID()
  await query(
    `INSERT INTO portico.identities (id, person_id, account_id, accepted_at)
     SELECT $1, person_id, NULL, now() FROM portico.identities WHERE id = $2`,
    other,
    await identityOf(portal, member),
  )
  const policy = await grant(portal, other, { actions: rights.exports })
  const message = expect.stringMatching(/^None of your identities may do this alone/)
  expect(await member.post(crons, newCron())).toMatchObject(refused(403, 'not_allowed', { message }))
  await query('UPDATE portico.policies SET actions = $2 WHERE id = $1', policy, [
    ...rights.exports,
    ...rights.schedules,
  ])
  expect(await member.post(crons, newCron())).toMatchObject({ status: 201 })
})
