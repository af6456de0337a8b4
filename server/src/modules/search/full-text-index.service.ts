import type { AccountId } from '@portico/contract/accounts'
import type { WordIndex } from '@portico/contract/indexes'
import { type ContactField, hasMoreContacts, listContactFields } from '#contacts'
import { wordsVersion } from '#filters'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { updateFullTextIndexJob } from './search.jobs.ts'
import {
  analyzeEntries,
  type ChangedContacts,
  countContacts,
  createFullTextIndex,
  deleteAllEntries,
  deleteOrphanedEntries,
  insertRequest,
  insertEntries,
  selectLastOfNext,
  selectFullTextState,
  selectFullTextProgress,
  updateFullTextState,
  updateFullTextProgress,
  type FullTextState,
} from './full-text-index.queries.ts'

// Reading the texts of this many contacts takes less than a tenth of a second: an index would not be noticed.
const worthIndexing = 50_000
// Allowed difference between the clocks of several machines.
const clockMs = 10_000
const requestIntervalMs = 60_000
// Half a second's work, or three on a slow machine.
const contactsAtOnce = 50_000
// Share of the whole build (ADR 0028).
const writingShare = 0.45

/**
 * Returns whether the full-text index of an account can be used. If not, and the account is large, enqueues a job that
 * updates it; until then, searches read the texts themselves.
 */
export async function useFullTextIndex(db: Db, jobs: Jobs | undefined, account: AccountId): Promise<boolean> {
  if (isCurrent(await selectFullTextState(db, account))) return true
  if (jobs && (await hasMoreContacts(db, account, worthIndexing))) {
    await inTransaction(db, async (tx) => {
      const now = new Date()
      const isFirst = await insertRequest(tx, account, now, new Date(now.getTime() - requestIntervalMs))
      if (isFirst) await jobs.enqueue(tx, updateFullTextIndexJob, { account })
    })
  }
  return false
}

/**
 * Returns what a full-text search would read now: the index, the texts of a few contacts, or those of many, which takes
 * seconds. Requests no index.
 */
export async function fullTextReads(db: Db, account: AccountId): Promise<'index' | 'few' | 'many'> {
  if (isCurrent(await selectFullTextState(db, account))) return 'index'
  return (await hasMoreContacts(db, account, worthIndexing)) ? 'many' : 'few'
}

/**
 * Returns whether full-text searches can use the index, and the progress of its build. Requests the index as a search
 * does.
 */
export async function getFullTextIndex(db: Db, jobs: Jobs, account: AccountId): Promise<WordIndex> {
  if (await useFullTextIndex(db, jobs, account)) return { state: 'ready', progress: null }
  const { written, indexed } = await selectFullTextProgress(db, account)
  if (written === null) return { state: 'absent', progress: null }
  return { state: 'building', progress: written * writingShare + (indexed ?? 0) * (1 - writingShare) }
}

function isCurrent(state: FullTextState): boolean {
  const { built_at: builtAt, changed_at: changedAt, is_changing: isChanging } = state
  if (!builtAt || isChanging || state.words_version !== wordsVersion) return false
  return changedAt === null || changedAt.getTime() < builtAt.getTime() - clockMs
}

/**
 * Updates the full-text index with the contacts that imports have added or changed. Rebuilds it the first time, after a
 * column has become text, and in place of one with words of an earlier release. One transaction, so it is safe to interrupt and repeat. Does nothing while an import
 * is running; the next search enqueues it again.
 */
export async function updateFullTextIndex(db: Db, account: AccountId): Promise<void> {
  await inTransaction(db, async (tx) => {
    const builtAt = new Date()
    const state = await selectFullTextState(tx, account)
    if (state.is_changing) return updateFullTextProgress(tx, account, null)
    const all = await listContactFields(tx, account)
    const fields = all.filter(({ type }) => type === 'string')
    const since = canUpdate(state, fields, all) ? sinceOf(state) : null
    if (since) await deleteOrphanedEntries(tx, account)
    else await deleteAllEntries(tx, account)
    await writeEntries({ db, tx }, account, fields, since)
    await createFullTextIndex(tx, account)
    await updateFullTextState(tx, account, {
      builtAt,
      importId: state.last_import,
      textFields: fields.map(({ id }) => id),
      lastField: Math.max(0, ...all.map(({ id }) => id)),
    })
    await analyzeEntries(tx, account)
  })
}

/** Writes the entries of contacts in batches, with the progress after each. */
async function writeEntries(
  { db, tx }: { db: Db; tx: Db },
  account: AccountId,
  fields: readonly ContactField[],
  since: ChangedContacts | null,
): Promise<void> {
  const total = await countContacts(tx, account)
  let after = '0'
  for (let done = contactsAtOnce; ; done += contactsAtOnce) {
    const upTo = await selectLastOfNext(tx, account, after, contactsAtOnce)
    await insertEntries(tx, account, fields, since, { after, upTo })
    if (upTo === null) return
    after = upTo
    // On another connection: the transaction is invisible until it ends.
    await updateFullTextProgress(db, account, Math.min(1, done / total))
  }
}

/**
 * False after a known field has become text or is none any more, for which contacts that did not change since have no entry, and for words
 * that an earlier release made by other rules.
 */
function canUpdate(state: FullTextState, fields: readonly { id: number }[], all: readonly ContactField[]): boolean {
  const known = new Set(state.text_fields)
  if (state.built_at === null || state.words_version !== wordsVersion) return false
  if (all.some(({ id, type }) => type !== 'string' && known.has(id))) return false
  return fields.every(({ id }) => known.has(id) || id > state.last_field)
}

function sinceOf(state: FullTextState): ChangedContacts | null {
  if (!state.built_at) return null
  return {
    // The ids of an import's contacts begin with its number (0001-contacts.sql).
    firstId: String((BigInt(state.import_id) + 1n) << 33n),
    updatedAt: new Date(state.built_at.getTime() - clockMs),
  }
}
