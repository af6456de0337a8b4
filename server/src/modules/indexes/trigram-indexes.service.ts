import type { AccountId } from '@portico/contract/accounts'
import { type Day, todayIn } from '@portico/domain/days'
import { type ContactField, hasMoreContacts, listContactFields } from '#contacts'
import { isServedByTrigrams } from '#filters'
import { type Db, inTransaction, isUniqueViolation } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Services } from '#platform/services.ts'
import type { NoteSearches } from '#search'
import { deleteOldSearches, selectLastSearches, upsertSearch } from './field-searches.queries.ts'
import { columnsOf, typesOf } from './index-key.ts'
import { reconcileIndexJob } from './indexes.jobs.ts'
import { type IndexRow, insertIndex, selectTrigramIndexes, updateDeleting, updateIndex } from './indexes.queries.ts'
import { dropIndex, selectIsValid, trigramName } from './physical-indexes.queries.ts'
import { findTrigramSupport, type TrigramSupport } from './trigram-support.ts'

// Reading the texts of fewer contacts takes less than a hundredth of a second.
const fewContacts = 20_000
// For more, an index takes longer to build than people wait, so it has to be worth it.
const quickContacts = 100_000
const daysUntilKept = 3
const mostKept = 20

const supportMs = 3600 * 1000
// Each is a few bytes.
const mostNoted = 100_000

type Deps = { db: Db; jobs: Jobs }

/**
 * Returns the function that notes which fields searches look for parts of texts in, and has their indexes made. Asks the
 * database once a day for each field; after that, searches cost nothing more.
 * @param today the present day in UTC
 */
export function createSearchNotes(
  { jobs, log }: Pick<Services, 'jobs' | 'log'>,
  today: () => Day = () => todayIn('UTC'),
): NoteSearches {
  const findSupport = rememberedSupport()
  let day: Day | null = null
  const noted = new Set<string>()
  return async (db, account, searched) => {
    const now = today()
    if (now !== day || noted.size > mostNoted) noted.clear()
    day = now
    const key = (name: string): string => `${account} ${name}`
    const fresh = searched.filter(({ name }) => !noted.has(key(name)))
    if (fresh.length === 0) return
    try {
      const support = await findSupport(db)
      const { isAsciiOnly } = support.problem === null ? support : { isAsciiOnly: true }
      const served = fresh.filter(({ pattern }) => isServedByTrigrams(pattern, { isAsciiOnly }))
      for (const { name } of served) noted.add(key(name))
      if (support.problem !== null || served.length === 0) return
      await noteFields({ db, jobs }, account, new Set(served.map(({ name }) => name)), now)
    } catch (error) {
      // The search itself needs none of it.
      log.warn({ err: error, account }, 'the fields of a search were not noted')
    }
  }
}

/** Returns a lookup of the abilities of the database, made again after an hour: a right may be given meanwhile. */
function rememberedSupport(): (db: Db) => Promise<TrigramSupport> {
  let known: { support: TrigramSupport; at: number } | null = null
  return async (db) => {
    if (known === null || performance.now() - known.at > supportMs) {
      known = { support: await findTrigramSupport(db), at: performance.now() }
    }
    return known.support
  }
}

async function noteFields(
  { db, jobs }: Deps,
  account: AccountId,
  names: ReadonlySet<string>,
  today: Day,
): Promise<void> {
  if (!(await hasMoreContacts(db, account, fewContacts))) return
  const isQuick = !(await hasMoreContacts(db, account, quickContacts))
  for (const field of await listContactFields(db, account)) {
    if (!names.has(field.name) || field.type !== 'string') continue
    const days = await upsertSearch(db, account, field.id, today)
    if (days !== null && (isQuick || days >= daysUntilKept)) await keepIndex({ db, jobs }, account, field)
  }
}

/** Has the index of a field made if there is none, and made again if the database has lost it. */
async function keepIndex({ db, jobs }: Deps, account: AccountId, field: ContactField): Promise<void> {
  const rows = await selectTrigramIndexes(db, account)
  const row = rows.find(({ field_1 }) => field_1 === field.id)
  if (row) {
    const isLost = row.state === 'ready' && !(await selectIsValid(db, account, trigramName(row.id)))
    if (isLost) await rebuild({ db, jobs }, account, row)
    return
  }
  if (rows.length >= mostKept) return
  try {
    await inTransaction(db, async (tx) => {
      const { id } = await insertIndex(tx, account, newRow(field))
      await jobs.enqueue(tx, reconcileIndexJob, { account, indexId: id })
    })
  } catch (error) {
    // Another process did the same, or took the id: then the next day's search asks again.
    if (!isUniqueViolation(error)) throw error
  }
}

function newRow(field: ContactField) {
  return {
    kind: 'trigram' as const,
    name: `trigram ${field.id}`,
    field_1: field.id,
    order_1: 1 as const,
    field_2: null,
    order_2: null,
    is_unique: false,
    // The portal's own.
    creator: '',
    created_at: new Date(),
    state: 'building' as const,
    reason: null,
    built_for: null,
  }
}

async function rebuild({ db, jobs }: Deps, account: AccountId, { id }: IndexRow): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await updateIndex(tx, account, id, 'ready', { state: 'building', attempts: 0 }))) return
    await jobs.enqueue(tx, reconcileIndexJob, { account, indexId: id })
  })
}

async function remove({ db, jobs }: Deps, account: AccountId, { id }: IndexRow): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (await updateDeleting(tx, account, id)) await jobs.enqueue(tx, reconcileIndexJob, { account, indexId: id })
  })
}

/**
 * Has the trigram indexes dropped that were not used for 90 days, whose field is gone or no text any more, and all of them
 * where the database is not fit for them; has those built again whose field moved to another column. Safe to repeat.
 */
export async function tendTrigramIndexes(
  { db, jobs }: Deps,
  account: AccountId,
  today: Day = todayIn('UTC'),
): Promise<void> {
  await deleteOldSearches(db, account, today)
  const rows = await selectTrigramIndexes(db, account)
  if (rows.length === 0) return
  const { problem } = await findTrigramSupport(db)
  const searches = await selectLastSearches(db, account)
  const fields = new Map((await listContactFields(db, account)).map((field) => [field.id, field]))
  for (const row of rows) {
    const columns = columnsOf(row, fields)
    const isWanted = problem === null && columns[0]?.field.type === 'string' && searches.has(row.field_1)
    if (!isWanted) await remove({ db, jobs }, account, row)
    else if (row.state === 'ready' && row.built_for !== typesOf(columns)) await rebuild({ db, jobs }, account, row)
  }
}

/** The same after an import, with the indexes that `dropTrigramIndexes` dropped before it. */
export async function restoreTrigramIndexes({ db, jobs }: Deps, account: AccountId): Promise<void> {
  await tendTrigramIndexes({ db, jobs }, account)
  for (const row of await selectTrigramIndexes(db, account)) {
    if (row.state !== 'ready' || (await selectIsValid(db, account, trigramName(row.id)))) continue
    await rebuild({ db, jobs }, account, row)
  }
}

/** An account without contacts is loaded faster without them; `restoreTrigramIndexes` has them built again. */
export async function dropTrigramIndexes(db: Db, account: AccountId): Promise<void> {
  for (const { id } of await selectTrigramIndexes(db, account)) await dropIndex(db, account, trigramName(id))
}
