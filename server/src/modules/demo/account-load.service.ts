import { setTimeout as pause } from 'node:timers/promises'
import { todayIn } from '@portico/domain/days'
import type { AccountId } from '@portico/contract/accounts'
import { writeColumnList } from '@portico/contract/column-list'
import type { Import, ImportDefaults } from '@portico/contract/imports'
import { writeAuthentication } from '@portico/contract/remote-access/rules'
import { selectOwnHolder } from '#access'
import { insertEventFields, type NewEvent, recordEvents } from '#contacts'
import { firstDashboardOf, seedDashboards } from '#dashboards'
import { deliveriesPurpose } from '#delivery'
import { createExport, listExports } from '#exports'
import { storeUpload } from '#files'
import { createAccount, listAccounts } from '#accounts'
import { queueUndo } from '#import-undos'
import { createImport, listImports, setImportDefaults } from '#imports'
import type { Services } from '#platform/services.ts'
import { selectPerson } from '#persons'
import { createSecrets } from '#platform/secrets.ts'
import { createRemoteAccess, listRemoteAccesses } from '#remote-access'
import { seedCrons } from '#scheduler'
import { openContactReader } from '#search'
import { makeSearchable } from './account-search.service.ts'
import { makeSegmentHistory } from './segment-history.service.ts'
import { demoCrons } from './demo-crons.ts'
import { behaviourOf, type Scene } from './behaviour.ts'
import { readContactFile } from './contact-file.ts'
import { demoDashboards } from './dashboards/demo-dashboards.ts'
import type { DemoAccount, DemoImport } from './demo-account.ts'
import type { Population } from './person.ts'

/** A load of the demo. Each step skips work done by an earlier, interrupted load. */
export type DemoLoad = Services & {
  signal: AbortSignal
  /** The start of the first load. All dates are relative to it. */
  asOf: Date
}

const actor = { actor: 'demo', address: null, via: { kind: 'portal' as const } }

// The page size of lists.
const page = 1000

/** Returns the account of the demo; creates it if it does not exist. Its parent must exist. */
export async function makeAccount({ database, signal }: DemoLoad, demo: DemoAccount): Promise<AccountId> {
  signal.throwIfAborted()
  const known = new Map((await listAccounts(database.db)).map(({ Key, Value }) => [Value, Key]))
  const parent = demo.parent === null ? null : (known.get(demo.parent) ?? null)
  return (
    known.get(demo.name) ??
    createAccount(
      database,
      { name: demo.name, parent, timeZone: demo.timeZone },
      { actor: 'demo', address: null, via: { kind: 'portal' as const } },
    )
  )
}

/** Enqueues the account's imports, each with a generated file. */
export async function submitImports(load: DemoLoad, account: AccountId, demo: DemoAccount): Promise<void> {
  const submitted = new Set((await importsOf(load, account)).map(({ name }) => name))
  if (submitted.size === 0) await setImportDefaults(load.database.db, account, actor, defaultsOf(demo))
  for (const wanted of demo.imports) {
    if (!submitted.has(wanted.name)) await submitImport(load, account, wanted, populationOf(load, demo))
  }
}

/** Import defaults, from the settings of the first import. No emails, as people in the demo have no mailbox. */
function defaultsOf({ imports: [first] }: DemoAccount): ImportDefaults {
  const { purlColumns = [], dedupColumns = [] } = first?.settings ?? {}
  return { purlColumns, dedupColumns, notificationEmails: [] }
}

/** Waits for the account's imports, then adds events of contacts and enqueues exports. */
export async function fillAccount(load: DemoLoad, account: AccountId, demo: DemoAccount): Promise<void> {
  const contacts = await importsEnded(load, account)
  await undoImports(load, account, demo)
  const { db } = load.database
  const events = await recordEvents(db, account, behaviour(load, account, demo))
  await makeSearchable(load, account)
  await makeSegmentHistory(load, account, demo.timeZone)
  const done = await listExports({ db }, account, { limit: page, skip: 0 })
  const names = new Set(Array.isArray(done) ? done.map(({ name }) => name) : [])
  await makeDashboards(load, account, demo)
  await makeCrons(load, account, demo)
  if (demo.imports.some(({ settings }) => settings?.generatePURL)) await makeRemoteAccess(load, account)
  const sealer = createSecrets(load.config.secretKey, deliveriesPurpose)
  for (const wanted of demo.exports) {
    if (!names.has(wanted.name)) {
      await createExport({ db, jobs: load.jobs, sealer }, { account, rows: null }, actor, wanted, null)
    }
  }
  load.log.info({ account, name: demo.name, contacts, events }, 'an account of the demo is loaded')
}

/**
 * Creates the account's dashboards; their author is the first of its people. The first dashboard is a favorite of that
 * person and of the installation's first power admin, who looks at the demo.
 */
async function makeDashboards(
  { database: { db }, config }: DemoLoad,
  account: AccountId,
  demo: DemoAccount,
): Promise<void> {
  const [first] = demo.people
  const author = first && (await selectPerson(db, first.email))
  if (!author) return
  const admin = await selectPerson(db, config.adminEmail)
  const holder = await selectOwnHolder(db, account, author.id)
  const by = { account, actor, caller: { personId: author.id }, holder }
  await seedDashboards(db, by, demoDashboards(demo), admin ? [author, admin] : [author])
}

/** Creates the account's crons, owned by the first of its people. */
async function makeCrons({ database: { db }, asOf }: DemoLoad, account: AccountId, demo: DemoAccount): Promise<void> {
  const [first] = demo.people
  const author = first && (await selectPerson(db, first.email))
  if (!author) return
  const today = todayIn(demo.timeZone, asOf)
  await seedCrons(db, account, author, demoCrons(demo, today, await firstDashboardOf(db, account)))
}

/** Lets the sample site greet contacts by their PURLs. On any port of localhost, as the operator chooses it. */
async function makeRemoteAccess({ database, jobs }: DemoLoad, account: AccountId): Promise<void> {
  const known = await listRemoteAccesses(database, account, { limit: 1, skip: 0 })
  if (!Array.isArray(known) || known.length > 0) return
  // Field of the sample site's form.
  await insertEventFields(database.db, account, ['seats'])
  const draft = {
    type: 'domain' as const,
    domainOrIp: 'localhost',
    includeSubDomains: false,
    filter: writeAuthentication(['purl']),
    publicColumns: writeColumnList(['First Name', 'City']),
  }
  await createRemoteAccess({ database, jobs }, account, actor, draft, null)
}

function populationOf({ asOf }: DemoLoad, demo: DemoAccount): Population {
  return { ...demo.population, seed: demo.name, asOf }
}

async function submitImport(
  { database: { db }, storage, jobs, signal }: DemoLoad,
  account: AccountId,
  { name, file, settings }: DemoImport,
  population: Population,
): Promise<void> {
  const upload = { fileName: file.fileName, contentType: 'text/csv', creator: actor.actor }
  await storeUpload(db, storage, account, upload, readContactFile(file, population), signal)
  const draft = {
    name,
    filePath: file.fileName,
    fileDelimiter: file.delimiter,
    processBatchSize: 25 as const,
    generatePURL: false,
    purlGenerationScope: 'account' as const,
    dedupHashMatching: false,
    typeCasting: true,
    exportOnImportCompletion: false,
    ...settings,
  }
  await createImport({ db, storage, jobs, signal: null }, account, actor, draft, null)
}

async function importsOf({ database: { db } }: DemoLoad, account: AccountId): Promise<Import[]> {
  const imports = await listImports({ db, caller: null, rows: null }, account, { limit: page, skip: 0 })
  return Array.isArray(imports) ? imports : []
}

const pollMs = 250

/** Waits until the account's imports have ended. Returns the number of contacts. */
async function importsEnded(load: DemoLoad, account: AccountId): Promise<number> {
  for (;;) {
    const imports = await importsOf(load, account)
    const isEnded = imports.every(({ status }) => status === 'completed' || status === 'rejected')
    if (isEnded) return imports.reduce((sum, { createdRecords }) => sum + createdRecords, 0)
    await pause(pollMs, undefined, { signal: load.signal })
  }
}

/** Undoes the imports that were a mistake. */
async function undoImports(load: DemoLoad, account: AccountId, demo: DemoAccount): Promise<void> {
  const mistakes = new Set(demo.imports.flatMap(({ name, isUndone }) => (isUndone ? [name] : [])))
  for (const { _id: id, name, undo } of await importsOf(load, account)) {
    if (!mistakes.has(name)) continue
    if (!undo) await queueUndo({ db: load.database.db, jobs: load.jobs }, account, { by: actor, actsAs: null }, id)
    await undoEnded(load, account, id)
  }
}

async function undoEnded(load: DemoLoad, account: AccountId, id: string): Promise<void> {
  for (;;) {
    const { undo } = (await importsOf(load, account)).find(({ _id }) => _id === id) ?? {}
    if (undo?.status === 'completed' || undo?.status === 'rejected') return
    await pause(pollMs, undefined, { signal: load.signal })
  }
}

/** Generates the events of the account's contacts, contact by contact. */
async function* behaviour(load: DemoLoad, account: AccountId, demo: DemoAccount): AsyncGenerator<NewEvent> {
  const { segments } = demo.population
  const scene: Scene = {
    seed: demo.name,
    site: demo.site,
    asOf: load.asOf,
    utcOffset: utcOffset(demo.timeZone, load.asOf),
  }
  const reader = openContactReader({ db: load.database.db, rows: null }, account)
  for (let skip = 0; ; skip += page) {
    load.signal.throwIfAborted()
    const contacts = await reader.rows([], { columns: ['Segment'], limit: page, skip })
    if (contacts.length === 0) return
    for (const contact of contacts) {
      const segment = segments.find(({ name }) => name === contact['Segment'])
      if (segment) yield* behaviourOf(String(contact['_id']), segment, scene)
    }
  }
}

/** Returns the offset of the time zone from UTC at a moment, in hours. */
function utcOffset(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  // `GMT-07:00`, or just `GMT`.
  return Number(/[+-]\d\d/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '')?.[0] ?? 0)
}
