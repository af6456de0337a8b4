import type { AccountId } from '@portico/contract/accounts'
import { recordAudit } from '#audit'
import { countUpFieldsVersion } from '#accounts'
import { type CatalogueRow, hasValues, lockField, markDeleted } from '#contacts'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { lockBusy } from '#platform/waits/locks.ts'
import { othersOf, requireQuiet, rightsOf, underLocks, underRightsLock } from './field-locks.service.ts'
import { readMarks, selectUnused } from './used-fields.service.ts'

/**
 * `uses`: finders of stored items that name fields. `onDeleted`: receives the names of deleted fields within their
 * transaction; only short statements may run in it, since it holds the lock of all rights.
 */
type Deleting = {
  db: Db
  uses: readonly FieldUses[]
  signal: AbortSignal
  onDeleted: (tx: Db, names: readonly string[]) => Promise<void>
}

/** Fields that are deleted in one transaction. */
const atOnce = 25

/** Searches that may be out of date, one after the other, before a field is deleted. */
const mostSearches = 5

/**
 * Hides those of the fields that have no value and that nothing stored names, as people delete fields. All stored texts are
 * read without a lock, once for all fields (ADR 0152); the fields are then deleted in groups, for as long as nothing was
 * saved meanwhile. Ends early where an import or export has yet to read fields by their names.
 * @throws unavailable where things are saved all the time, or locks are not free
 */
export async function deleteUnusedFields(
  deleting: Deleting,
  account: AccountId,
  by: Actor,
  fields: readonly CatalogueRow[],
): Promise<void> {
  const { db, signal } = deleting
  const others = othersOf(deleting.uses)
  let left = fields
  let searches = 0
  try {
    while (left.length > 0) {
      if (++searches > mostSearches) throw lockBusy()
      const mark = await readMarks(db, others, account)
      left = await selectUnused({ db, uses: others, signal }, account, left)
      while (left.length > 0) {
        signal.throwIfAborted()
        const group = left.slice(0, atOnce)
        const isCurrent = await underLocks(db, account, async (tx) => {
          if ((await readMarks(tx, others, account)) !== mark) return false
          await deleteGroup({ ...deleting, tx }, account, by, group)
          return true
        })
        if (!isCurrent) break
        searches = 0
        left = left.slice(atOnce)
      }
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'field_busy') throw error
  }
}

/** Deletes those of the fields that have no value and that no right names. */
async function deleteGroup(
  { tx, uses, signal, onDeleted }: Deleting & { tx: Db },
  account: AccountId,
  by: Actor,
  group: readonly CatalogueRow[],
): Promise<void> {
  await requireQuiet(tx, account)
  const empty: CatalogueRow[] = []
  for (const { id, name } of group) {
    const row = await lockField(tx, account, id)
    // One that has got another name since then is kept.
    if (!row || row.deleted_at !== null || row.name !== name) continue
    if (!(await hasValues(tx, account, row))) empty.push(row)
  }
  if (empty.length === 0) return
  const judge = () => selectUnused({ db: tx, uses: rightsOf(uses), signal }, account, empty)
  await underRightsLock({ tx, uses }, account, judge, async (locked, unused) => {
    if (unused.length === 0) return
    for (const { id, name } of unused) {
      await markDeleted(locked, account, id, by.actor)
      const details = { id, uses: 0 }
      await recordAudit(locked, { account, ...by, action: 'field deleted', subject: name, details })
    }
    await countUpFieldsVersion(locked, account)
    await onDeleted(
      locked,
      unused.map(({ name }) => name),
    )
  })
}
