import type { AccountId } from '@portico/contract/accounts'
import type { FieldEntry, FieldUse } from '@portico/contract/fields'
import { messages } from '@portico/contract/messages'
import { recordAudit } from '#audit'
import { countUpFieldsVersion } from '#accounts'
import { deleteChangesOfField } from '#contact-edits'
import {
  dropColumn,
  dropField,
  listContactFields,
  lockDeletedFields,
  lockField,
  lockLeftColumns,
  markDeleted,
  markRestored,
  rejectRetype,
  updateRetype,
} from '#contacts'
import { savedPipelines } from '#saved-filters'
import { requireRoom } from '#platform/account-limits.ts'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction, isLockTimeout, isUniqueViolation, setLocally } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { type FieldUses, unusedName } from '#platform/rows/field-uses.ts'
import { keptMs, toEntry } from './field-list.service.ts'
import { othersOf, requireQuiet, rightsOf, underLocks, underRightsLock } from './field-locks.service.ts'
import { requireField } from './found-field.ts'
import { type Rank, shownName, usesInWords } from './shown-uses.ts'

type Asking = { db: Db; caller: Pick<Caller, 'can' | 'rows'> & Rank; uses: readonly FieldUses[] }

/** Only these say that a field is missing. Others would fail in silence, so that they are changed first. */
const sayMissing: readonly FieldUse['kind'][] = ['filter', 'dashboard', 'cron']

/**
 * Hides a field everywhere, and ends a change of its type. Its values stay for 30 days, in which it can be restored.
 * @param expected how many filters, dashboards and crons name it, as the person was shown
 * @throws not_found, field_busy; in_use for something that must not lose the field, or for another number of uses
 */
export async function deleteField(
  { db, caller, uses }: Asking,
  account: AccountId,
  by: Actor,
  id: string,
  expected: number,
): Promise<FieldEntry> {
  const known = await requireField(db, account, caller, id)
  return underLocks(db, account, async (tx) => {
    const row = await lockField(tx, account, known.id)
    if (!row || row.deleted_at !== null) throw new AppError('not_found')
    await requireQuiet(tx, account)
    const used = await countUses({ tx, caller, uses: othersOf(uses) }, account, row.name)
    const judge = async (): Promise<void> => {
      await countUses({ tx, caller, uses: rightsOf(uses) }, account, row.name)
      if (used !== expected) throw new AppError('in_use', { uses: used }, otherUses(used))
    }
    return underRightsLock({ tx, uses }, account, judge, async (locked) => {
      await markDeleted(locked, account, row.id, by.actor)
      await rejectRetype(locked, account, row.id, { reason: fieldWasDeleted, now: new Date() })
      await countUpFieldsVersion(locked, account)
      const details = { id: row.id, uses: used }
      await recordAudit(locked, { account, ...by, action: 'field deleted', subject: row.name, details })
      return readEntry(locked, account, row.id)
    })
  })
}

/** Why a change of its type has ended. */
export const fieldWasDeleted = 'The field was deleted.'

const otherUses = (uses: number): string =>
  `${uses} saved filters, dashboards and crons name this field by now and would say that it is missing. Look at them and confirm their number.`

async function countUses(
  { tx, caller, uses }: { tx: Db; caller: Rank; uses: readonly FieldUses[] },
  account: AccountId,
  name: string,
): Promise<number> {
  const rename = { from: name, to: unusedName, ...savedPipelines(tx, account) }
  let count = 0
  for (const { kind, find } of uses) {
    const found = await find(tx, account, rename)
    if (sayMissing.includes(kind)) count += found.length
    else if (found.length > 0)
      throw new AppError(
        'in_use',
        undefined,
        mustNotLose(
          kind,
          found.map((use) => shownName(caller, use.name)),
        ),
      )
  }
  return count
}

const mustNotLose = (kind: FieldUse['kind'], names: readonly (string | null)[]): string =>
  `${usesInWords(kind, names)} needs this field. Change or delete it first.`

/** Shows a deleted field again. @throws not_found; name_taken where another field has its name by now */
export async function restoreField(
  { db, caller }: { db: Db; caller: Pick<Caller, 'can' | 'rows'> },
  account: AccountId,
  by: Actor,
  id: string,
): Promise<FieldEntry> {
  const known = await requireField(db, account, caller, id, { isDeleted: true })
  try {
    return await inTransaction(db, async (tx) => {
      const row = await lockField(tx, account, known.id)
      if (!row || row.deleted_at === null) throw new AppError('not_found')
      // First, as others who restore a field wait for it.
      await countUpFieldsVersion(tx, account)
      requireRoom('contactFields', (await listContactFields(tx, account)).length)
      await markRestored(tx, account, row)
      await recordAudit(tx, { account, ...by, action: 'field restored', subject: row.name, details: { id: row.id } })
      return readEntry(tx, account, row.id)
    })
  } catch (error) {
    throw isUniqueViolation(error)
      ? new AppError('name_taken', [{ field: 'name', message: messages.duplicate }], otherHasName(known.name))
      : error
  }
}

const otherHasName = (name: string): string =>
  `Another field is called "${name}" by now. Rename or delete that one first.`

async function readEntry(tx: Db, account: AccountId, id: number): Promise<FieldEntry> {
  const row = await lockField(tx, account, id)
  if (!row) throw new AppError('not_found')
  return toEntry(row, undefined, undefined)
}

/**
 * Removes the fields that were deleted more than 30 days ago, with their values, also those in the history of contacts. Each is
 * a transaction, so the work may stop anywhere and go on later. It gives up after a second where something reads the contacts, so that no one waits for it.
 */
export async function removeDeletedFields(db: Db, account: AccountId, now = new Date()): Promise<number> {
  const before = new Date(now.getTime() - keptMs)
  return removeOneByOne(db, async (tx) => {
    const [field] = await lockDeletedFields(tx, account, before)
    if (!field) return false
    // First, as it takes longer than the tables of contacts may be locked.
    await deleteChangesOfField(tx, account, field.id)
    await dropField(tx, account, field)
    await countUpFieldsVersion(tx, account)
    return true
  })
}

/** Reads of a field that began before its type was changed have ended by then. */
const leftMs = 3600 * 1000

/** Removes the columns that changes of types have left, as long as nothing reads the contacts. Returns how many. */
export async function removeLeftColumns(db: Db, account: AccountId, now = new Date()): Promise<number> {
  return removeOneByOne(db, async (tx) => {
    const [left] = await lockLeftColumns(tx, account, new Date(now.getTime() - leftMs))
    if (!left || left.left_column === null || left.left_part === null) return false
    await dropColumn(tx, account, { column: left.left_column, part: left.left_part })
    await updateRetype(tx, account, left.id, { left_column: null, left_part: null })
    return true
  })
}

/** Removes one thing after the other until there is none. It gives up after a second of waiting, and returns how many it has removed. */
async function removeOneByOne(db: Db, remove: (tx: Db) => Promise<boolean>): Promise<number> {
  for (let removed = 0; ; removed++) {
    try {
      const hasMore = await inTransaction(db, async (tx) => {
        await setLocally(tx, 'lock_timeout', '1s')
        return remove(tx)
      })
      if (!hasMore) return removed
    } catch (error) {
      if (isLockTimeout(error)) return removed
      throw error
    }
  }
}
