import type { AccountId } from '@portico/contract/accounts'
import { recordAudit } from '#audit'
import { countUpFieldsVersion } from '#accounts'
import { type CatalogueRow, hasValues, lockField, markDeleted } from '#contacts'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { savedPipelines } from '#saved-filters'
import { othersOf, requireQuiet, rightsOf, underLocks, underRightsLock } from './field-locks.service.ts'

/** Whether anything stored names a field, besides one import with this name. */
export async function isFieldUsed(
  db: Db,
  uses: readonly FieldUses[],
  account: AccountId,
  { name, exceptImport = null }: { name: string; exceptImport?: string | null },
): Promise<boolean> {
  const rename = { from: name, to: unusedName, ...savedPipelines(db, account) }
  for (const { kind, find } of uses) {
    const found = await find(db, account, rename)
    if (found.some((use) => kind !== 'import' || use.name !== exceptImport)) return true
  }
  return false
}

/** A name that no field can have: whatever it would change names the field. */
const unusedName = '\u0001'

/**
 * Hides those of the fields that have no value and that nothing stored names, as people delete fields. Returns their names. It
 * ends early where an import or export has yet to read fields by their names.
 */
export async function deleteUnusedFields(
  { db, uses }: { db: Db; uses: readonly FieldUses[] },
  account: AccountId,
  by: Actor,
  fields: readonly CatalogueRow[],
): Promise<string[]> {
  const deleted: string[] = []
  try {
    // A few at a time, so that others who change fields or rights do not wait long.
    for (let at = 0; at < fields.length; at += atOnce) {
      const some = fields.slice(at, at + atOnce)
      deleted.push(...(await underLocks(db, account, (tx) => deleteSome({ tx, uses }, account, by, some))))
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'field_busy') throw error
  }
  return deleted
}

const atOnce = 10

async function deleteSome(
  { tx, uses }: { tx: Db; uses: readonly FieldUses[] },
  account: AccountId,
  by: Actor,
  fields: readonly CatalogueRow[],
): Promise<string[]> {
  await requireQuiet(tx, account)
  const unused: CatalogueRow[] = []
  for (const { id } of fields) {
    const row = await lockField(tx, account, id)
    if (!row || row.deleted_at !== null || (await isFieldUsed(tx, othersOf(uses), account, row))) continue
    if (!(await hasValues(tx, account, row))) unused.push(row)
  }
  if (unused.length === 0) return []
  const judge = async (): Promise<CatalogueRow[]> => {
    const left: CatalogueRow[] = []
    for (const row of unused) if (!(await isFieldUsed(tx, rightsOf(uses), account, row))) left.push(row)
    return left
  }
  return underRightsLock({ tx, uses }, account, judge, async (locked, left) => {
    for (const { id, name } of left) {
      await markDeleted(locked, account, id, by.actor)
      const details = { id, uses: 0 }
      await recordAudit(locked, { account, ...by, action: 'field deleted', subject: name, details })
    }
    if (left.length > 0) await countUpFieldsVersion(locked, account)
    return left.map(({ name }) => name)
  })
}
