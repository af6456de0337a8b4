import { readdir } from 'node:fs/promises'
import type { FieldEntry } from '@portico/contract/fields'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { addStored } from '#test/resources/stored-contacts.ts'
import { addCron, makeDue, runsOf } from '#test/resources/crons.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { ownWorkers } from '#test/processes/own-workers.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { readWorkbookFile, textsOf } from '#test/kit/read-workbook-file.ts'
import {
  byCity,
  dashboardOf,
  dueAt,
  endOfFirstRun,
  fileOf,
  instructionFor,
  reportCron,
} from '#test/resources/reports.ts'

// A report whose worker dies while writing the file.

let portal: TestPortal
let mail: MailServer
let owner: Member
let workers: ReturnType<typeof ownWorkers>

beforeAll(async () => {
  mail = await startMailServer()
  portal = await startPortal({ mailSenderDomains: ['example.com'] })
  workers = ownWorkers(() => portal, { SMTP_URL: mail.url, SECRET_KEY: portal.config.secretKey[0] })
})
beforeEach(async () => {
  owner = await portal.member(await portal.account())
  const click = new Map<string, string>([
    ['event_code', 'click'],
    ['event_date', '2026-03-01T10:00:00Z'],
  ])
  const cities = ['Bern', 'Lyon', 'Bern'].map((city) => ({
    id: '',
    values: new Map([['City', city]]),
    events: [click],
  }))
  await addStored(portal.parts.database, owner.account, { City: 'string' }, cities)
})
afterEach(() => workers.killAll())
afterAll(async () => {
  await portal.close()
  await mail.close()
})

const byEvent = {
  type: 'Column',
  title: 'By event',
  options: { colors: ['#1971c2'] },
  filter: {
    standard: [{ $unwind: '$events' }, { $group: { _id: '$events.event_code', n: { $count: {} } } }],
  },
}

/** Makes reports wait after their first cell, at the table of events. */
async function holdEvents(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: portal.parts.database.url })
  await holder.connect()
  await holder.query('BEGIN')
  await holder.query(`LOCK TABLE account_${owner.account}.events IN ACCESS EXCLUSIVE MODE`)
  return () => holder.end()
}

async function isWaitingForEvents(): Promise<boolean> {
  const { rowCount } = await portal.parts.database.pool.query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rowCount !== 0
}

/**
 * Counts the files of reports in the storage. Those of a killed worker stay unfinished, and are removed after a day.
 */
async function countFiles(): Promise<{ whole: number; unfinished: number }> {
  const names = await readdir(portal.config.dataDir, { recursive: true })
  const files = names.filter((name) => new RegExp(`(^|/)${owner.account}/reports/.`).test(name))
  const unfinished = files.filter((name) => name.endsWith('.part')).length
  return { whole: files.length - unfinished, unfinished }
}

type File = Awaited<ReturnType<typeof fileOf>>

/** The content of a report of both charts for each delimiter, and a function that reads it. */
const formats: [delimiter: string, read: (file: File) => unknown, content: unknown][] = [
  [
    'comma',
    ({ text }) => text.split('\r\n'),
    ['By city', 'City,count', 'Bern,2', 'Lyon,1', '', 'By event', 'events.event_code,n', 'click,3', ''],
  ],
  [
    'xlsx',
    async ({ bytes }) => (await readWorkbookFile(bytes)).sheets.flatMap(({ name, rows }) => [[name], ...textsOf(rows)]),
    [
      ['By city'],
      ['City', 'count'],
      ['Bern', '2'],
      ['Lyon', '1'],
      ['By event'],
      ['events.event_code', 'n'],
      ['click', '3'],
    ],
  ],
]

// A worker starts slowly on a busy machine, and a killed one is detected after ten seconds.
test.each(formats)(
  'a report (%s) is complete, and sent once, if its worker is killed in the middle',
  {
    timeout: 120_000,
  },
  async (delimiter, read, content) => {
    // Workers of the previous test may have been killed before they recorded an email as sent; it is then sent again.
    const subject = `Cities and events, ${delimiter}`
    const notification = { from: 'me@example.com', fromName: 'Me', subject, bodyHtml: '<p>x</p>' }
    const dashboard = await dashboardOf(owner, byCity, byEvent)
    const cron = await addCron(owner, reportCron(instructionFor(dashboard, { notification }, { delimiter })))
    const release = await holdEvents()
    const first = workers.start()
    await makeDue(portal, cron._id, dueAt)
    await expect.poll(isWaitingForEvents, { timeout: 60_000 }).toBe(true)
    expect(await runsOf(owner, cron._id)).toMatchObject([{ status: 'processing', fileUrl: null }, {}])
    await workers.kill(first)
    expect(await countFiles()).toEqual({ whole: 0, unfinished: 1 })
    await release()
    workers.start()
    const run = await endOfFirstRun(owner, cron._id, 90_000)
    expect(run).toMatchObject({
      status: 'completed',
      recoveryCount: 1,
      processedRecords: 3,
      deliveries: [{ kind: 'email' }],
    })
    expect(await read(await fileOf(portal, owner, run))).toEqual(content)
    expect(await countFiles()).toEqual({ whole: 1, unfinished: 1 })
    expect((await owner.get('/contact-service/v1/downloads')).body).toMatchObject([{ kind: 'report', rows: 3 }])
    const sent = () => mail.received.filter(({ message }) => message.subject === subject)
    await expect.poll(sent, { timeout: 30_000 }).toHaveLength(1)
  },
)

test('a report is written again if a field is renamed while it is written', async () => {
  const dashboard = await dashboardOf(owner, byCity, byEvent)
  const cron = await addCron(owner, reportCron(instructionFor(dashboard)))
  const release = await holdEvents()
  workers.start()
  await makeDue(portal, cron._id, dueAt)
  await expect.poll(isWaitingForEvents, { timeout: 60_000 }).toBe(true)
  const fields = (await owner.get('/contact-service/v1/fields/details')).json<FieldEntry[]>()
  const path = `/contact-service/v1/fields/${fields.find(({ name }) => name === 'City')?._id}`
  expect(await owner.put(path, { name: 'Town' })).toMatchObject({ status: 200 })
  await release()
  const run = await endOfFirstRun(owner, cron._id, 90_000)
  expect(run).toMatchObject({ status: 'completed', recoveryCount: 1 })
  expect((await fileOf(portal, owner, run)).text).toContain('Town,count')
}, 120_000)

test('a report shows the contacts at one moment, despite deletions while it is written', async () => {
  const people = { type: 'PaginaTable', title: 'People', filter: { standard: [], columns: ['City'] } }
  const dashboard = await dashboardOf(owner, byCity, byEvent, people)
  const cron = await addCron(owner, reportCron(instructionFor(dashboard)))
  const release = await holdEvents()
  workers.start()
  await makeDue(portal, cron._id, dueAt)
  await expect.poll(isWaitingForEvents, { timeout: 60_000 }).toBe(true)
  const { pool } = portal.parts.database
  await pool.query(`DELETE FROM account_${owner.account}.contacts`)
  await release()
  const run = await endOfFirstRun(owner, cron._id)
  expect(run.status).toBe('completed')
  const { text } = await fileOf(portal, owner, run)
  expect(text.slice(text.indexOf('People')).split('\r\n')).toEqual(['People', 'City', 'Bern', 'Lyon', 'Bern', ''])
})
