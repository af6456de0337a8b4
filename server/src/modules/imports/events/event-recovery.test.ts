import type { Import, NewEventImport } from '@portico/contract/imports'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importWorkers } from '#test/processes/import-workers.ts'
import { submit, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Imports of events whose worker dies halfway, or that are cancelled.

let portal: TestPortal

beforeAll(async () => {
  // No worker in this process: the tests start their own and kill it.
  portal = await startPortal()
})
afterAll(() => portal.close())

const contacts = 2000
const rowCount = 120_000
const badRows = rowCount / 10
const people = `Email\n${Array.from({ length: contacts }, (_, at) => `p${at}@x.org\n`).join('')}`

const oddCells = rowCount / 100

/** Every tenth row has no contact, or no date; some others have an odd trigger. */
function eventFile(): string {
  let text = 'Email,event_code,event_date,row,is_trigger\n'
  for (let row = 0; row < rowCount; row++) {
    const key = row % 20 === 9 ? 'nobody' : `p${(row * 7) % contacts}@x.org`
    text += `${key},view,${row % 20 === 19 ? 'never' : '2026-01-01T00:00:00Z'},${row},${row % 100 === 50 ? 'odd' : ''}\n`
  }
  return text
}

const draft: NewEventImport = {
  kind: 'events',
  name: 'Many events',
  filePath: 'events.csv',
  fileDelimiter: 'comma',
  processBatchSize: 25,
  keyColumn: 'Email',
  keyField: 'Email',
  typeCasting: true,
}

type State = { status: string; phase: string | null; batches: number }

async function stateOf({ account }: Member, importId: string): Promise<State> {
  const { rows } = await portal.parts.database.pool.query<State>(
    `SELECT status, phase, (SELECT count(*)::int FROM account_${account}.import_batches WHERE import_id = i.id) AS batches
     FROM account_${account}.imports AS i WHERE id = $1`,
    [importId],
  )
  const [row] = rows
  if (!row) throw new Error('the import is gone')
  return row
}

const { killWhen, finish } = importWorkers(() => portal, stateOf)

/** An account with contacts and an import of events that waits for a worker. */
async function prepared(): Promise<{ member: Member; id: string }> {
  const member = await portal.member(await portal.account())
  const imported = await submit(portal, member, people)
  await finish(member, imported._id)
  await upload(portal, member, draft.filePath, eventFile())
  const reply = await member.post('/contact-service/v1/imports', draft)
  expect(reply).toMatchObject({ status: 201 })
  return { member, id: reply.json<Import>()._id }
}

/** Counts events, the rows they came from, events of wrong contacts, and remaining working tables. */
async function figures({ account }: Member): Promise<Record<string, number> | undefined> {
  const { rows } = await portal.parts.database.pool.query<Record<string, number>>(
    `SELECT count(*)::int AS events, count(DISTINCT e.details ->> 'row')::int AS rows,
       count(*) FILTER (WHERE c.c1 <> 'p' || ((e.details ->> 'row')::int * 7) % ${contacts} || '@x.org')::int AS astray,
       (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'account_${account}' AND tablename LIKE 'stage%') AS left
     FROM account_${account}.events AS e JOIN account_${account}.contacts AS c ON c.id = e.contact_id`,
  )
  return rows[0]
}

test(
  'kill -9 at any moment: every event is loaded once, and the report is complete',
  { timeout: 200_000 },
  async () => {
    const { member, id } = await prepared()
    const moments: [string, (state: State) => boolean][] = [
      ['examining', ({ phase }) => phase === 'examining'],
      ['staging', ({ phase }) => phase === 'staging'],
      ['matching', ({ phase }) => phase === 'matching'],
      ['loading', ({ phase }) => phase === 'loading'],
      ['two batches loaded', ({ batches }) => batches >= 2],
    ]
    const killed: string[] = []
    for (const [name, isTime] of moments) if (await killWhen(member, id, isTime)) killed.push(name)
    expect(killed).toEqual(moments.map(([name]) => name))
    const good = rowCount - badRows
    expect(await finish(member, id)).toMatchObject({
      status: 'completed',
      recoveryError: null,
      totalRecords: good,
      processedRecords: good,
      createdRecords: good,
      setAsideRecords: badRows,
      setAsideCells: oddCells,
    })
    expect(await figures(member)).toEqual({ events: good, rows: good, astray: 0, left: 0 })
    const { url } = (await member.get(`/contact-service/v1/imports/${id}/set-aside`)).json<{ url: string }>()
    const { body } = await portal.app.inject({ url })
    const lines = body.trimEnd().split('\r\n').slice(1)
    expect(lines.length).toBe(badRows + oddCells)
    expect(lines.slice(0, 2)).toEqual([
      '11,No such contact.,nobody,view,2026-01-01T00:00:00Z,9,',
      '21,"""never"" is not a date.",p133@x.org,view,never,19,',
    ])
  },
)

/** The valid indexes of the events. */
async function eventIndexes({ account }: Member): Promise<string[]> {
  const { rows } = await portal.parts.database.pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
     WHERE i.indrelid = 'account_${account}.events'::regclass AND i.indisvalid ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

test(
  'kill -9 while the first events of an account have no index: the index is built in the end',
  { timeout: 200_000 },
  async () => {
    const { member, id } = await prepared()
    const whole = await eventIndexes(member)
    expect(whole).toEqual(['events_contact_id_idx', 'events_pkey'])
    expect(await killWhen(member, id, ({ batches }) => batches >= 1)).toBe(true)
    expect(await eventIndexes(member)).toEqual(['events_pkey'])
    // An application records an event at that moment; the index build waits for its commit.
    const recorder = await portal.parts.database.pool.connect()
    await recorder.query('BEGIN')
    await recorder.query(`LOCK TABLE account_${member.account}.events IN ROW EXCLUSIVE MODE`)
    expect(await killWhen(member, id, ({ phase }) => phase === 'indexing')).toBe(true)
    await recorder.query('COMMIT')
    recorder.release()
    const good = rowCount - badRows
    expect(await finish(member, id)).toMatchObject({ status: 'completed', createdRecords: good })
    expect(await figures(member)).toEqual({ events: good, rows: good, astray: 0, left: 0 })
    expect(await eventIndexes(member)).toEqual(whole)
  },
)

test('cancelling ends an event import, and only whole batches stay', { timeout: 100_000 }, async () => {
  const { member, id } = await prepared()
  await killWhen(member, id, ({ batches }) => batches >= 1)
  expect(await member.put(`/contact-service/v1/imports/${id}`, { cancel: true })).toMatchObject({ status: 200 })
  const end = await finish(member, id)
  expect(end).toMatchObject({ status: 'rejected', recoveryError: 'cancelled by the user' })
  expect(await figures(member)).toMatchObject({ events: end.createdRecords, rows: end.createdRecords, left: 0 })
  expect(end.createdRecords).toBeGreaterThan(0)
  expect(end.createdRecords).toBeLessThan(rowCount - badRows)
  expect(await eventIndexes(member)).toEqual(['events_contact_id_idx', 'events_pkey'])
})
