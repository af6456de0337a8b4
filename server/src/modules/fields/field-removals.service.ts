import type { AccountId } from '@portico/contract/accounts'
import { recordAudit } from '#audit'
import { countUpFieldsVersion } from '#accounts'
import { type CatalogueRow, hasValues, lockField, markDeleted } from '#contacts'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { readSavedPipelines } from '#saved-filters'
import { requireQuiet, underLocks } from './field-changes.service.ts'

/** Whether anything stored names a field, besides one import with this name. */
export async function isFieldUsed(
  db: Db,
  uses: readonly FieldUses[],
  account: AccountId,
  { name, exceptImport = null }: { name: string; exceptImport?: string | null },
): Promise<boolean> {
  const rename = { from: name, to: unusedName, saved: await readSavedPipelines(db, account) }
  for (const { kind, find } of uses) {
    const found = await find(db, account, rename)
    if (found.some((use) => kind !== 'import' || use.name !== exceptImport)) return true
  }
  return false
}

/** A name that no field can have: whatever it would change names the field. */
const unusedName = '\u0001'

/**
 * Hides those of the fields that have no value and that nothing stored names, as people delete fields. Returns their names: none
 * while an import or export has yet to read fields by their names.
 */
export async function deleteUnusedFields(
  { db, uses }: { db: Db; uses: readonly FieldUses[] },
  account: AccountId,
  by: Actor,
  fields: readonly CatalogueRow[],
): Promise<string[]> {
  if (fields.length === 0) return []
  try {
    return await underLocks(db, account, async (tx) => {
      await requireQuiet(tx, account)
      const deleted: string[] = []
      for (const { id } of fields) {
        const row = await lockField(tx, account, id)
        if (!row || row.deleted_at !== null || (await isFieldUsed(tx, uses, account, row))) continue
        if (await hasValues(tx, account, row)) continue
        await markDeleted(tx, account, id, by.actor)
        const details = { id, uses: 0 }
        await recordAudit(tx, { account, ...by, action: 'field deleted', subject: row.name, details })
        deleted.push(row.name)
      }
      if (deleted.length > 0) await countUpFieldsVersion(tx, account)
      return deleted
    })
  } catch (error) {
    if (error instanceof AppError && error.code === 'field_busy') return []
    throw error
  }
}
