import type { DeleteRecord } from '@portico/contract/deletes'
import type { Import, NewEventImport, NewImport } from '@portico/contract/imports'
import { vi } from 'vitest'
import { addCron, makeDue, runsOf } from '#test/resources/crons.ts'
import { deliveryOf } from '#test/resources/deliveries.ts'
import { createExport, exportDraft, readExport } from '#test/resources/exports.ts'
import { createIndex, customIndexes } from '#test/resources/indexes.ts'
import { submit, upload } from '#test/resources/imports.ts'
import type { Answer, Member, TestPortal } from './portal.ts'
import { dashboardOf, instructionFor, reportCron } from '#test/resources/reports.ts'

/** A job of any kind; `state` reads its progress. */
export type SubmittedJob = { kind: JobKindName; state: () => Promise<string> }

export const jobKindNames = [
  'import',
  'events import',
  'export',
  'delivery',
  'delete',
  'index build',
  'scheduled export',
  'report',
] as const
export type JobKindName = (typeof jobKindNames)[number]

/** States in which a job is neither finished nor waiting for a worker. */
export const underWay = ['processing', 'recovery', 'building']

const contactCount = 60_000
const deletedAtOnce = 8000

/** Retries operations that fail while the database is down, which may take long on a busy machine. */
export function patiently<T>(work: () => Promise<T>): Promise<T> {
  return vi.waitFor(work, { timeout: 120_000, interval: 100 })
}

type Submitter = (member: Member, round: number) => Promise<() => Promise<string>>

/** Submits jobs of every kind, each in a separate account, whose contacts take a moment to process. */
export async function everyJob(portal: TestPortal, receiver: string) {
  const submitters: Record<JobKindName, Submitter> = {
    ...importJobs(portal),
    ...exportJobs(portal, receiver),
    ...contactJobs(portal),
  }
  const members = new Map<JobKindName, Member>()
  for (const kind of jobKindNames) members.set(kind, await memberWithContacts(portal))
  let round = 0
  return async (kind: JobKindName): Promise<SubmittedJob> => {
    const member = members.get(kind)
    if (!member) throw new Error(`no member for ${kind}`)
    return { kind, state: await submitters[kind](member, ++round) }
  }
}

const importJobs = (portal: TestPortal) => {
  const stateOf = (member: Member, id: string) => async () =>
    (await member.get(`/contact-service/v1/imports/${id}`)).json<Import>().status
  return {
    import: async (member: Member, round: number) => {
      // The account's contacts have no dedup key, so the import matches only its own.
      const settings: Partial<NewImport> = { dedupColumns: ['Email'], purlGenerationScope: 'import' }
      const { _id } = await submit(portal, member, contactFile(round), settings)
      return stateOf(member, _id)
    },
    'events import': async (member: Member, round: number) => {
      const draft = eventsDraft(round)
      await upload(portal, member, draft.filePath, eventFile())
      const answer = await member.post('/contact-service/v1/imports', draft)
      requireStatus(answer, 201)
      return stateOf(member, answer.json<Import>()._id)
    },
  }
}

const exportJobs = (portal: TestPortal, receiver: string) => {
  const firstRun = (member: Member, cron: string) => async () => (await runsOf(member, cron))[0]?.status ?? 'gone'
  return {
    export: async (member: Member) => {
      const { _id } = await createExport(member, exportDraft(['Email', 'City', 'Rank']))
      return async () => (await readExport(member, _id)).status
    },
    delivery: async (member: Member) => {
      const body = { file: '{{url}}' }
      const notification = { type: 'http' as const, method: 'post' as const, endpoint: `${receiver}/hook`, body }
      const { _id } = await createExport(member, exportDraft(['Email'], { notifications: [notification] }))
      return async () => (await deliveryOf(member, _id)).status
    },
    'scheduled export': async (member: Member, round: number) => {
      const instruction = { name: `Run ${round}`, delimiter: 'csv', exportFields: ['Email'] }
      const cron = await addCron(member, { instruction })
      await makeDue(portal, cron._id, new Date())
      return firstRun(member, cron._id)
    },
    report: async (member: Member) => {
      const cron = await addCron(member, reportCron(instructionFor(await dashboardOf(member, table))))
      await makeDue(portal, cron._id, new Date())
      return firstRun(member, cron._id)
    },
  }
}

const contactJobs = (portal: TestPortal) => ({
  delete: async (member: Member, round: number) => {
    const from = deletedAtOnce * round
    await addContactRows(portal, member, from, deletedAtOnce)
    const filter = [{ $match: { Rank: { $gte: from, $lt: from + deletedAtOnce } } }]
    const find = async () => {
      const all = (await member.get('/contact-service/v1/deletes')).json<DeleteRecord[]>()
      return all.find((each) => JSON.stringify(each.filter).includes(`"$gte":${from},`))
    }
    // The reply comes at the end of the delete, which may span an outage.
    void member.delete('/contact-service/v1/offers', { filter, deletedRecords: deletedAtOnce })
    await vi.waitUntil(find, { timeout: 30_000, interval: 20 })
    return async () => (await find())?.status ?? 'gone'
  },
  'index build': async (member: Member) => {
    // Adds one also after a call whose reply was lost with the database.
    const answer = await createIndex(member, indexKeys[(await customIndexes(member)).length] ?? {})
    requireStatus(answer, 202)
    const { name } = answer.json<{ name: string }>()
    return async () => (await customIndexes(member)).find((index) => index.name === name)?.state ?? 'gone'
  },
})

function requireStatus({ status, body }: Answer, expected: number): void {
  if (status !== expected) throw new Error(`${status}: ${JSON.stringify(body)}`)
}

/** One for each round, so at most six. */
const indexKeys = ['Email', 'City', 'Rank'].flatMap((first) =>
  ['Email', 'City', 'Rank'].filter((second) => second !== first).map((second) => ({ [first]: 1, [second]: 1 })),
)

const table = {
  type: 'PaginaTable',
  title: 'People',
  filter: { standard: [{ $match: { Email: { $exists: true } } }], columns: ['Email'], sort: { Email: 1 } },
}

async function memberWithContacts(portal: TestPortal): Promise<Member> {
  const member = await portal.member(await portal.account())
  const schema = `account_${member.account}`
  await portal.parts.database.pool.query(
    `ALTER TABLE ${schema}.contacts ADD COLUMN c1 text, ADD COLUMN c2 text, ADD COLUMN c3 double precision`,
  )
  await portal.parts.database.pool.query(
    `INSERT INTO ${schema}.fields (id, name, type, part, created_at)
     VALUES (1, 'Email', 'string', 1, now()), (2, 'City', 'string', 1, now()), (3, 'Rank', 'number', 1, now())`,
  )
  await addContactRows(portal, member, 1_000_000, contactCount)
  return member
}

async function addContactRows(portal: TestPortal, { account }: Member, from: number, count: number): Promise<void> {
  const { pool } = portal.parts.database
  const series = `generate_series(${from}, ${from + count - 1}) AS i`
  await pool.query(
    `INSERT INTO account_${account}.contacts (id, import_id, c1, c2, c3)
     SELECT (1::bigint << 33) + i, 1, 'p' || i || '@x.org', 'City ' || i % 100, i FROM ${series} ON CONFLICT DO NOTHING`,
  )
  await pool.query(
    `INSERT INTO account_${account}.contact_keys (id) SELECT (1::bigint << 33) + i FROM ${series} ON CONFLICT DO NOTHING`,
  )
}

/** Half of its contacts are in the file of the previous round. */
const contactFile = (round: number): string =>
  `Email,City,Rank\n${Array.from({ length: 10_000 }, (_, at) => `p${1_000_000 + at + round * 5000}@x.org,Bern,${at}\n`).join('')}`

const eventFile = (): string =>
  `Email,event_code,event_date\n${Array.from({ length: 10_000 }, (_, at) => `p${1_000_000 + at}@x.org,view,2026-01-01T00:00:00Z\n`).join('')}`

const eventsDraft = (round: number): NewEventImport => ({
  kind: 'events',
  name: `Events ${round}`,
  filePath: `events${round}.csv`,
  fileDelimiter: 'comma',
  processBatchSize: 25,
  keyColumn: 'Email',
  keyField: 'Email',
  typeCasting: true,
})
