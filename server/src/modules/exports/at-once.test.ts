import type { Export } from '@portico/contract/exports'
import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runImport } from '#imports'
import { oneByOneInAccount } from '#platform/jobs/jobs.ts'
import { parseCsv } from '#test/kit/csv.ts'
import { createExport, downloadExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { ended, submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { unzipped } from '#test/kit/unzipped.ts'

// Ten imports and ten exports of five accounts are enqueued together, before a worker starts.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

/**
 * Number of jobs of each kind per account: all of the first account's are enqueued before those of the second, and so
 * on.
 */
const queued = [4, 3, 1, 1, 1]
const rowsPerFile = 600
const contactsBefore = 50

type Row = Record<string, string>
type Account = { number: number; jobs: number; member: Member; imports: Import[]; exports: Export[] }

/** An account with contacts, whose exports must not depend on other jobs that run at the same time. */
async function prepare(number: number, jobs: number): Promise<Account> {
  const member = await portal.member(await portal.account())
  const { _id } = await submit(portal, member, csvOf(rowsBefore(number)), settings)
  // No worker runs yet. One that claims the job later finds it completed.
  const deps = { ...portal.parts, onCompleted: async () => {}, onRejected: async () => {} }
  await runImport(deps, member.account, Number(_id), new AbortController().signal)
  return { number, jobs, member, imports: [], exports: [] }
}

const rowsBefore = (account: number): Row[] =>
  Array.from({ length: contactsBefore }, (_row, at) => ({
    Email: `old-${at}@example.com`,
    Name: `Old ${account}`,
    Kind: 'before',
  }))

/** Half of the contacts of a file reappear in the next one, which has an additional field. */
function rowsOf(account: number, file: number): Row[] {
  return Array.from({ length: rowsPerFile }, (_row, at) => {
    const contact = at + (file * rowsPerFile) / 2
    const kind = at % 3 === 0 ? '' : `file ${file}`
    return { Email: `new-${contact}@example.com`, Name: `New ${account}`, Kind: kind, [`Only ${file}`]: `${at}` }
  })
}

/** Every contact that an account must finally have, in order: non-empty values override earlier ones. */
function expectedContacts({ number, jobs }: Account): Row[] {
  const contacts = new Map<string, Row>()
  const files = Array.from({ length: jobs }, (_file, file) => rowsOf(number, file))
  for (const row of [rowsBefore(number), ...files].flat()) {
    const given = Object.entries(row).filter(([, value]) => value !== '')
    contacts.set(row['Email'] ?? '', { ...contacts.get(row['Email'] ?? ''), ...Object.fromEntries(given) })
  }
  return [...contacts.values()]
}

function csvOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {})
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    .map((cells) => `${cells.join()}\n`)
    .join('')
}

const settings = { generatePURL: true, dedupHashMatching: true, purlColumns: ['Name'], dedupColumns: ['Email'] }
const wereThere = JSON.stringify([{ $match: { Kind: 'before' } }])

/** Enqueues the account's jobs. */
async function ask({ number, jobs, member, imports, exports }: Account): Promise<void> {
  for (let file = 0; file < jobs; file++) {
    const filePath = `file-${file}.csv`
    imports.push(await submit(portal, member, csvOf(rowsOf(number, file)), { ...settings, filePath }))
    const draft = exportDraft(['Email', 'Name', 'purl'], { aggregateQuery: wereThere, shouldZip: file === 1 })
    exports.push(await createExport(member, draft))
  }
}

/** The text of a finished export, zipped or not. */
async function textOf(member: Member, { _id, shouldZip }: Export): Promise<string> {
  const { text, bytes } = await downloadExport(portal, member, `${_id}.${shouldZip ? 'zip' : 'csv'}`)
  return shouldZip ? (Object.values(await unzipped(bytes))[0] ?? '') : text
}

type Ran = Pick<Import, 'startDate' | 'lastActivityDate'>
const startOf = ({ startDate }: Ran): number => Date.parse(startDate ?? '')
const endOf = ({ lastActivityDate }: Ran): number => Date.parse(lastActivityDate ?? '')

// Jobs that run concurrently may start in a different order than they were enqueued.
const { concurrency: lanes } = oneByOneInAccount

/** Expects the jobs of an account in order, and no account's second job before every account's first. */
function expectTurns(jobs: readonly (readonly Ran[])[]): void {
  for (const own of jobs) {
    const ends = own.map(endOf)
    for (const [at, next] of own.slice(1).entries()) expect(startOf(next)).toBeGreaterThanOrEqual(ends[at] ?? NaN)
  }
  const started = jobs.flatMap((own) => own.map((job, turn) => ({ turn, start: startOf(job) })))
  const turns = started.toSorted((one, other) => one.start - other.start).map(({ turn }) => turn)
  expect(turns.lastIndexOf(0), `turns as they started: ${turns.join()}`).toBeLessThan(queued.length + lanes - 1)
}

test('ten imports and ten exports of five accounts run in turns without affecting each other', async () => {
  const accounts = await Promise.all(queued.map((jobs, number) => prepare(number, jobs)))
  for (const account of accounts) await ask(account)
  await portal.startWorker()

  const imports: Import[][] = []
  const exports: Export[][] = []
  for (const { member, ...asked } of accounts) {
    imports.push(await Promise.all(asked.imports.map(({ _id }) => ended(member, _id))))
    exports.push(await Promise.all(asked.exports.map(({ _id }) => endedExport(member, _id))))
  }
  for (const job of [...imports.flat(), ...exports.flat()]) {
    expect(job).toMatchObject({ status: 'completed', recoveryCount: 0, recoveryError: null })
  }
  expectTurns(imports)
  expectTurns(exports)
  const { rows } = await portal.parts.database.pool.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(rows).toEqual([{ deadlocks: '0' }])

  for (const [at, account] of accounts.entries()) {
    const { member, number, jobs } = account
    const old = rowsBefore(number).map(({ Email, Name }, row) => [
      Email,
      Name,
      `old${number}x${row === 0 ? '' : row + 1}`,
    ])
    for (const done of exports[at] ?? []) {
      expect(parseCsv(await textOf(member, done), ',')).toEqual([['Email', 'Name', 'purl'], ...old])
    }
    const names = ['Email', 'Name', 'Kind', ...Array.from({ length: jobs }, (_file, file) => `Only ${file}`)]
    const { _id } = await createExport(member, exportDraft([...names, 'purl']))
    const [header, ...contacts] = parseCsv(await textOf(member, await endedExport(member, _id)), ',')
    expect(header).toEqual([...names, 'purl'])
    const expected = expectedContacts(account).map((row) => names.map((name) => row[name] ?? ''))
    expect(contacts.map((cells) => cells.slice(0, -1))).toEqual(expected)
    expect(new Set(contacts.map((cells) => cells.at(-1))).size).toBe(expected.length)
  }
})
