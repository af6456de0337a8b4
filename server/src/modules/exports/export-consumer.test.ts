import type { Export } from '@portico/contract/exports'
import type { Cron } from '@portico/contract/scheduler/crons'
import type { SavedFilter } from '@portico/contract/saved-filters'
import type { ScheduleDetails } from '@portico/contract/scheduler/schedules'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compareNames } from '#platform/by-name.ts'
import { reachSubAccounts } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, makeDue, newCron, runsOf, schedules } from '#test/resources/crons.ts'
import { downloadExport, readExport } from '#test/resources/exports.ts'
import { importFile } from '#test/resources/imports.ts'
import { type MailServer, startMailServer } from '#test/stand-ins/mail-server.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Scheduled exports, from the cron to the file, with the worker used in production.

/** The latest year whose November 1 has passed. */
const year = new Date(Date.now() - 306 * 86_400_000).getUTCFullYear()

let portal: TestPortal
let mail: MailServer
let owner: Member

beforeAll(async () => {
  mail = await startMailServer()
  portal = await startPortal({ smtpUrl: mail.url, mailSenderDomains: ['example.com'] })
  owner = await portal.member(await portal.account())
  await portal.startWorker()
  await importFile(
    portal,
    owner,
    `Name,Joined\nAda,${year}-09-30\nBob,${year}-10-01\nCleo,${year}-10-31\nDan,${year}-11-01\n`,
    {
      name: 'Contacts of the scheduler',
      typeCasting: true,
    },
  )
  const { pool } = portal.parts.database
  const schema = `account_${owner.account}`
  // Summer time ends between them.
  const events = [
    ['Ada', `${year}-09-30T21:59:59Z`],
    ['Ada', `${year}-10-15T12:00:00Z`],
    ['Bob', `${year}-10-01T22:00:00Z`],
    ['Cleo', `${year}-10-31T22:59:59Z`],
    ['Dan', `${year}-10-31T23:00:00Z`],
  ]
  for (const [name, date] of events) {
    await pool.query(
      `INSERT INTO ${schema}.events (id, contact_id, event_code, event_date, is_trigger)
       SELECT gen_random_uuid(), c.id, 'open', $2, false FROM ${schema}.contacts c
       WHERE (to_jsonb(c) ->> (SELECT 'c' || id FROM ${schema}.fields WHERE name = 'Name')) = $1`,
      [name, date],
    )
  }
})
afterAll(async () => {
  await portal.close()
  await mail.close()
})

/** Waits until the first run of a cron has ended. */
async function endedRun(cron: string): Promise<ScheduleDetails> {
  const first = async () => (await runsOf(owner, cron))[0]
  await expect.poll(async () => (await first())?.status, { timeout: 30_000 }).toMatch(/completed|terminated/)
  return (await owner.get(`${schedules}/${(await first())?._id}`)).json<ScheduleDetails>()
}

/** The rows of the file that a cron writes for a due time. */
async function fileOf(instruction: Record<string, unknown>, dueAt: string, zone = 'Europe/Zurich'): Promise<string[]> {
  const cron = await addCron(owner, { cron: '0 0 1 1 *', cronTZ: zone, instruction })
  await makeDue(portal, cron._id, new Date(dueAt))
  const run = await endedRun(cron._id)
  expect(run).toMatchObject({ status: 'completed', comment: expect.stringContaining('due ') })
  const { text } = await downloadExport(portal, owner, run.fileUrl?.split('/').at(-1) ?? '')
  return text.trim().split('\n').slice(1)
}

describe('a window of dates', () => {
  const draft = { name: 'Windowed', delimiter: 'csv', exportFields: ['Name'] }
  // 9:00 in Zurich.
  const due = `${year}-11-01T08:00:00Z`

  test('selects contacts with an event in the full days before the due day, in the time zone of the cron', async () => {
    expect(await fileOf({ ...draft, offset: '30' }, due)).toEqual(['Ada', 'Bob', 'Cleo'])
    expect(await fileOf({ ...draft, offset: 'LM' }, due)).toEqual(['Ada', 'Bob', 'Cleo'])
    expect(await fileOf({ ...draft, offset: '1' }, due)).toEqual(['Cleo'])
    expect(await fileOf({ ...draft, offset: '0' }, due)).toEqual(['Dan'])
    expect(await fileOf(draft, due)).toEqual(['Ada', 'Bob', 'Cleo', 'Dan'])
  })

  test('selects contacts by a date field', async () => {
    expect(await fileOf({ ...draft, offset: 'LM', dateField: 'Joined' }, due, 'UTC')).toEqual(['Bob', 'Cleo'])
  })

  test('is applied before a limit and together with the filter', async () => {
    const filter = [{ $match: { Name: { $ne: 'Bob' } } }, { $sort: { Name: -1 } }, { $limit: 1 }]
    expect(await fileOf({ ...draft, offset: 'LM', aggregateQuery: JSON.stringify(filter) }, due)).toEqual(['Cleo'])
  })

  test('is applied before stages of a saved filter, or a nested one, that limit or reshape', async () => {
    const saved = async (name: string, stages: unknown[]): Promise<{ $predefined: string }> => {
      const reply = await owner.post('/contact-service/v1/rdls', { name, aggregateQuery: JSON.stringify(stages) })
      return { $predefined: reply.json<SavedFilter>()._id }
    }
    const last = await saved('Last by name', [
      { $match: { Name: { $ne: 'Bob' } } },
      { $sort: { Name: -1 } },
      { $limit: 1 },
    ])
    const nested = await saved('Last within another', [last])
    const ofNames = await saved('Names', [{ $group: { _id: '$Name', n: { $count: {} } } }, { $sort: { _id: 1 } }])
    const windowed = { ...draft, offset: 'LM', dateField: 'Joined' }
    const rowsOf = (stages: unknown[], change: Record<string, unknown> = {}) =>
      fileOf({ ...windowed, ...change, aggregateQuery: JSON.stringify(stages) }, due, 'UTC')
    expect(await rowsOf([last])).toEqual(['Cleo'])
    expect(await rowsOf([nested])).toEqual(['Cleo'])
    const groups = { exportFields: ['_id', 'n'] }
    expect(await rowsOf([nested, { $group: { _id: '$Name', n: { $count: {} } } }], groups)).toEqual(['Cleo,1'])
    expect(await rowsOf([ofNames], groups)).toEqual(['Bob,1', 'Cleo,1'])
    // A saved filter that only selects contacts is stored by name, and looked up when the export is written.
    const chosen = await saved('Not Bob', [{ $match: { Name: { $ne: 'Bob' } } }])
    expect(await rowsOf([chosen, { $sort: { Name: 1 } }])).toEqual(['Cleo'])
  })

  test('is applied before parts of a filter of the parent account that are not shown, and does not show them', async () => {
    const parent = await portal.member(await portal.account())
    await reachSubAccounts(portal, parent)
    const child = await portal.member(await portal.account(undefined, parent.account))
    const { database } = portal.parts
    for (const { account } of [parent, child]) {
      const rows = ['09', '10'].map((month) => ({ Name: `Of ${month}`, Secret: 'rome', Joined: `${year}-${month}-08` }))
      await addContacts(database, account, { Name: 'string', Secret: 'string', Joined: 'day' }, rows)
    }
    const saved = async (name: string, stages: unknown[], showInSubaccounts: boolean) => {
      const draft = { name, aggregateQuery: JSON.stringify(stages), showInSubaccounts }
      const reply = await parent.post('/contact-service/v1/rdls', draft)
      return { $predefined: reply.json<SavedFilter>()._id }
    }
    const hidden = await saved('Hidden', [{ $match: { Secret: 'rome' } }, { $sort: { Name: 1 } }, { $limit: 1 }], false)
    const shown = await saved('Shown', [{ $match: { Name: { $ne: 'Eve' } } }, hidden], true)
    const instruction = { ...draft, offset: 'LM', aggregateQuery: JSON.stringify([shown]) }
    const cron = await addCron(child, { cron: '0 0 1 1 *', instruction: { ...instruction, dateField: 'Joined' } })
    await makeDue(portal, cron._id, new Date(due))
    const first = async () => (await child.get('/contact-service/v1/exports')).json<Export[]>()[0]
    await expect.poll(async () => (await first())?.status, { timeout: 30_000 }).toBe('completed')
    const made = await first()
    expect(made?.aggregateQuery).toContain('"Joined"')
    expect(made?.aggregateQuery).not.toContain('Secret')
    expect((await downloadExport(portal, child, `${made?._id}.csv`)).text.trim()).toBe('Name\nOf 10')
    const { rows } = await database.pool.query<{ details: unknown }>(
      `SELECT details FROM portico.audit_log WHERE account_id = $1 AND action = 'export created'`,
      [child.account],
    )
    expect(JSON.stringify(rows)).not.toContain('Secret')
    // Events cannot be restricted before rows that may be events.
    const refused = await child.post(crons, { ...newCron({ instruction }), name: 'Of events' })
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_filter' } } })
  })

  test('restricts the rows or groups of an events file to events of these days', async () => {
    const fields = ['Name', 'events.event_date']
    const rows = await fileOf({ ...draft, offset: 'LM', exportFields: fields }, due)
    expect(rows.map((row) => row.split(',')[0] ?? '').toSorted(compareNames)).toEqual(['Ada', 'Bob', 'Cleo'])
    const groups = [{ $unwind: '$events' }, { $group: { _id: '$Name', n: { $count: {} } } }, { $sort: { _id: 1 } }]
    const grouped = { ...draft, offset: 'LM', exportFields: ['_id', 'n'], aggregateQuery: JSON.stringify(groups) }
    expect(await fileOf(grouped, due)).toEqual(['Ada,1', 'Bob,1', 'Cleo,1'])
  })
})

test('a run creates an export named after its due time, and its details show the file and deliveries', async () => {
  const notification = {
    type: 'email',
    from: 'portal@example.com',
    fromName: 'Portal',
    to: 'bob@example.com',
    subject: 'Here it is',
    htmlBody: '<p>Ready</p>',
  }
  const instruction = {
    name: 'Weekly contacts',
    delimiter: 'csv',
    exportFields: ['Name'],
    notifications: [notification],
  }
  const cron = await addCron(owner, { cron: '0 0 1 1 *', cronTZ: 'America/New_York', instruction })
  await makeDue(portal, cron._id, new Date(`${year}-10-20T13:30:00Z`))
  const run = await endedRun(cron._id)
  expect(run).toMatchObject({
    status: 'completed',
    processedRecords: 4,
    job: { kind: 'export', name: `Weekly contacts ${year}-10-20 09:30` },
    attempts: [{ status: 'completed', processedRecords: 4, error: null }],
  })
  const made = await readExport(owner, run.job?._id ?? '')
  expect(made).toMatchObject({ name: `Weekly contacts ${year}-10-20 09:30`, creator: owner.email })
  const delivered = async () => (await owner.get(`${schedules}/${run._id}`)).json<ScheduleDetails>().fileTransferStatus
  await expect.poll(delivered, { timeout: 30_000 }).toBe('completed')
  expect(mail.received.some(({ recipients }) => recipients.includes('bob@example.com'))).toBe(true)
})

test('a second run with the same name gets a number', async () => {
  const instruction = { name: 'Same name', delimiter: 'csv', exportFields: ['Name'] }
  const names: unknown[] = []
  for (let index = 0; index < 2; index++) {
    const cron = await addCron(owner, { cron: '0 0 1 1 *', instruction })
    await makeDue(portal, cron._id, new Date(`${year}-10-20T13:30:00Z`))
    names.push((await endedRun(cron._id)).job?.name)
  }
  expect(names).toEqual([`Same name ${year}-10-20 13:30`, `Same name ${year}-10-20 13:30 (2)`])
})

test('runs of one name that start in the same moment get numbers at once', async () => {
  const instruction = { name: 'Crowded name', delimiter: 'csv', exportFields: ['Name'] }
  const ids: string[] = []
  for (let index = 0; index < 5; index++) ids.push((await addCron(owner, { cron: '0 0 1 1 *', instruction }))._id)
  const { pool } = portal.parts.database
  const due = new Date(`${year}-10-20T13:30:00Z`)
  await pool.query('UPDATE portico.schedules SET due_at = $2 WHERE cron_id = ANY ($1)', [ids, due])
  await pool.query(`UPDATE portico.crons SET next_due_at = $2, starts = '2026-01-01' WHERE id = ANY ($1)`, [ids, due])
  const runs = await Promise.all(ids.map((id) => endedRun(id)))
  expect(runs.map(({ recoveryCount }) => recoveryCount)).toEqual(ids.map(() => 0))
  expect(runs.map(({ attempts }) => attempts.length)).toEqual(ids.map(() => 1))
  const name = `Crowded name ${year}-10-20 13:30`
  const names = runs.map(({ job }) => job?.name ?? '').toSorted(compareNames)
  expect(names).toEqual([name, ...ids.slice(1).map((_, index) => `${name} (${index + 2})`)].toSorted(compareNames))
})

test('a missing field ends the run, naming the field, and the recipients are notified', async () => {
  const { pool } = portal.parts.database
  const instruction = { name: 'Gone field', delimiter: 'csv', exportFields: ['Name', 'Joined'] }
  const cron = await addCron(owner, { cron: '0 0 1 1 *', notificationEmails: 'cleo@example.com', instruction })
  const schema = `account_${owner.account}`
  await pool.query(`UPDATE ${schema}.fields SET name = 'Joined on' WHERE name = 'Joined'`)
  await makeDue(portal, cron._id, new Date(`${year}-10-20T13:30:00Z`))
  const run = await endedRun(cron._id)
  await pool.query(`UPDATE ${schema}.fields SET name = 'Joined' WHERE name = 'Joined on'`)
  expect(run).toMatchObject({ status: 'terminated', comment: expect.stringContaining('Joined'), job: null })
  const told = () => mail.received.filter(({ recipients }) => recipients.includes('cleo@example.com'))
  await expect.poll(() => told().length, { timeout: 30_000 }).toBe(1)
  expect(told()[0]?.message.text).toContain('Joined')
  expect((await owner.get(`${crons}/${cron._id}`)).json<Cron>().lastRun).toMatchObject({ status: 'terminated' })
})
