import type { Cron } from '@portico/contract/scheduler/crons'
import { offsetChoices } from '@portico/domain/scheduler/offset-window'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCells } from '#dashboards'
import { compareNames } from '#platform/by-name.ts'
import { runExport } from '#exports'
import { runReport } from '#reports'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron } from '#test/resources/crons.ts'
import { dayIn, naiveDays, takesMoment } from '#test/oracles/naive-window.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { dashboardOf, instructionFor, reportCron } from '#test/resources/reports.ts'
import { rounds } from '#test/processes/rounds.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'

// Runs of crons in many time zones, for an account in yet another one, cover the days that a naive calendar gives: for
// fields of days, of moments, and dates of events, in exports and in reports.

const accountZone = 'America/New_York'
/** Half hours, clock changes in both directions and by half an hour, a day that begins at 1 AM, and the date line. */
const zones = [
  'America/Denver',
  'Europe/Zurich',
  'Asia/Kolkata',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
]
/**
 * Shortly after clock changes of some of the zones, around New Year, and at a time that is another day in half of them.
 */
const dues = ['2026-11-02T03:30:00Z', '2027-01-01T10:15:00Z', '2026-04-06T12:00:00Z', '2026-09-07T06:45:00Z'].map(
  (text) => Date.parse(text),
)
const kinds = ['day', 'moment', 'event'] as const
type Kind = (typeof kinds)[number]
// The suite takes every second preset in each zone, and a third of the numbers of days; `npm run test:long` takes all.
const presets = Object.keys(offsetChoices)
const customs = Array.from({ length: rounds(30, 90) }, (_, index) => String(index * rounds(3, 1) + 4))

type Contact = { name: string; day: string; moment: number }
type Case = { zone: string; offset: string; due: number }

let portal: TestPortal
let owner: Member
let contacts: Contact[]
const crons = {} as Record<'EXPORT' | 'BI', Record<Kind, Cron>>

const hour = 3_600_000

/** Cases of presets: each with every zone. */
const presetCases = zones.flatMap((zone, shift) =>
  presets
    .map((offset, at): Case => ({ zone, offset, due: dues[(at + shift) % dues.length] ?? 0 }))
    .filter((_, at) => (at + shift) % rounds(2, 1) === 0),
)
const customCases = customs.map((offset, at): Case => ({
  zone: zones[at % zones.length] ?? '',
  offset,
  due: dues[at % dues.length] ?? 0,
}))

/** Creates a contact every 31 hours of the time that any window covers, and around the bounds of each window. */
function makeContacts(): Contact[] {
  const moments = new Set<number>()
  for (const due of dues) {
    for (let at = due - 190 * 24 * hour; at < due + 50 * hour; at += 31 * hour) moments.add(at)
    for (const edge of [due - 1, due, due + 1]) moments.add(edge)
  }
  for (const { zone, offset, due } of [...presetCases, ...customCases]) {
    const days = [...naiveDays(offset, dayIn(zone, due))].toSorted(compareNames)
    for (const day of new Set([days[0], days.at(-1)])) addEdges(moments, zone, day ?? '')
  }
  return [...moments].map((moment, at) => ({
    name: `c${at}`,
    moment,
    day: new Date(moment).toISOString().slice(0, 10),
  }))
}

/** Adds the last millisecond before a day in a zone, and its first one; the same at its end. */
function addEdges(moments: Set<number>, zone: string, day: string): void {
  const noon = Date.parse(`${day}T12:00:00Z`)
  for (let at = noon - 36 * hour; at < noon + 40 * hour; at += hour / 2) {
    if (dayIn(zone, at - 1) === dayIn(zone, at)) continue
    if (dayIn(zone, at) === day || dayIn(zone, at - 1) === day) moments.add(at).add(at - 1)
  }
}

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  const { pool } = portal.parts.database
  await pool.query('UPDATE portico.accounts SET time_zone = $2 WHERE id = $1', [owner.account, accountZone])
  contacts = makeContacts()
  const types = { Name: 'string', Born: 'day', Seen: 'date' } as const
  const rows = contacts.map(({ name, day, moment }) => ({
    Name: name,
    Born: day,
    Seen: new Date(moment).toISOString(),
  }))
  const ids = await addContacts(portal.parts.database, owner.account, types, rows)
  await pool.query(
    `INSERT INTO account_${owner.account}.events (id, contact_id, event_code, event_date, is_trigger)
     SELECT gen_random_uuid(), c.id, 'open', c.at, false FROM unnest($1::bigint[], $2::timestamptz[]) AS c(id, at)`,
    [ids, contacts.map(({ moment }) => new Date(moment))],
  )
  await makeCrons()
}, 120_000)
afterAll(() => portal.close())

const fields: Record<Kind, string> = { day: 'Born', moment: 'Seen', event: 'events.event_date' }

async function makeCrons(): Promise<void> {
  crons.EXPORT = {} as Record<Kind, Cron>
  crons.BI = {} as Record<Kind, Cron>
  const table = {
    type: 'PaginaTable',
    title: 'People',
    filter: { standard: [{ $match: { Name: { $exists: true } } }], columns: ['Name'], sort: { Name: 1 } },
  }
  for (const kind of kinds) {
    const instruction = {
      name: `Windowed ${kind}`,
      delimiter: 'csv',
      exportFields: ['Name'],
      offset: '0',
      dateField: fields[kind],
    }
    crons.EXPORT[kind] = await addCron(owner, { cron: '0 0 1 1 *', instruction })
    const picker = { type: 'DatePicker', datePickerType: 'month', defaultId: '29', maxRange: 31 }
    const pickers = kind === 'event' ? [] : [{ ...picker, portico: { dateField: fields[kind] } }]
    const dashboard = await dashboardOf(owner, table, ...pickers)
    crons.BI[kind] = await addCron(owner, reportCron(instructionFor(dashboard, { offset: '0' })))
  }
}

/** Runs a cron as if it were due then, in this zone and with this offset; returns the id of the export or report. */
async function runAt(cron: Cron, { zone, offset, due }: Case): Promise<string> {
  const { pool } = portal.parts.database
  await pool.query(
    `UPDATE portico.crons SET zone = $2, instruction = jsonb_set(instruction::jsonb, '{offset}', to_jsonb($3::text)) WHERE id = $1`,
    [cron._id, zone, offset],
  )
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO portico.schedules (account_id, cron_id, consumer, due_at, is_run_now, status, ready_at)
     VALUES ($1, $2, $3, $4, true, 'waiting', now()) RETURNING id`,
    [owner.account, cron._id, cron.consumerCode, new Date(due)],
  )
  await runSchedulerOnce(portal.parts)
  const ended = await pool.query<{ job_id: string | null; comment: string | null }>(
    `UPDATE portico.schedules SET status = 'completed', ended_at = now() WHERE id = $1 RETURNING job_id, comment`,
    [rows[0]?.id],
  )
  const { job_id: job = null, comment } = ended.rows[0] ?? {}
  if (job === null) throw new Error(`The run did not start: ${comment}`)
  return job
}

const sorted = (names: Iterable<string>): string[] => [...names].toSorted(compareNames)

/** Returns the names in the file of a run, which is an export or a report. */
async function namesInFile(table: 'exports' | 'reports', job: string): Promise<string[]> {
  const { rows } = await portal.parts.database.pool.query<{ file_key: string }>(
    `SELECT file_key FROM account_${owner.account}.${table} WHERE id = $1`,
    [job],
  )
  const chunks: unknown[] = await (await portal.parts.storage.read(rows[0]?.file_key ?? '')).toArray()
  const [, ...names] = Buffer.concat(chunks as Buffer[])
    .toString()
    .trim()
    .split(/\r?\n/)
  return sorted(names)
}

async function exported(kind: Kind, at: Case): Promise<string[]> {
  const job = await runAt(crons.EXPORT[kind], at)
  await runExport(portal.parts, owner.account, job, new AbortController().signal)
  return namesInFile('exports', job)
}

async function reported(kind: Kind, at: Case): Promise<string[]> {
  const job = await runAt(crons.BI[kind], at)
  const deps = { ...portal.parts, cells: openCells(portal.parts.database) }
  await runReport(deps, owner.account, job, new AbortController().signal)
  return namesInFile('reports', job)
}

function expected(kind: Kind, { zone, offset, due }: Case): string[] {
  const days = naiveDays(offset, dayIn(zone, due))
  const taken = contacts.filter(({ day, moment }) =>
    kind === 'day' ? days.has(day) : takesMoment(days, zone, due, moment),
  )
  return sorted(taken.map(({ name }) => name))
}

/** Returns the contacts for which a run of each consumer is wrong. */
async function compare(kind: Kind, at: Case) {
  const wanted = expected(kind, at)
  const due = new Date(at.due).toISOString()
  const [exports, reports] = [await exported(kind, at), await reported(kind, at)]
  return { ...at, due, export: difference(exports, wanted), report: difference(reports, wanted) }
}

const right = (at: Case) => ({ ...at, due: new Date(at.due).toISOString(), export: nothing, report: nothing })

const nothing = { missing: [], surplus: [] }

/** Shown in place of thousands of names. */
const difference = (found: readonly string[], wanted: readonly string[]) => {
  const [one, other] = [new Set(found), new Set(wanted)]
  return { missing: wanted.filter((name) => !one.has(name)), surplus: found.filter((name) => !other.has(name)) }
}

describe.each(kinds)('a window over dates: %s', (kind) => {
  test.each(zones)('covers the days of %s with every preset', { timeout: 120_000 }, async (zone) => {
    for (const each of presetCases.filter((one) => one.zone === zone)) {
      expect(await compare(kind, each)).toEqual(right(each))
    }
  })

  // Each kind of date covers a third of them: the numbers of days are the same for all.
  test('covers the number of days of a custom offset', { timeout: 120_000 }, async () => {
    const own = customCases.filter((_, at) => at % kinds.length === kinds.indexOf(kind))
    for (const each of own) expect(await compare(kind, each)).toEqual(right(each))
  })
})
