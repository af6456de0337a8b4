import type { ChangedValue } from '@portico/contract/contact-edits'
import { type ContactField, type ContactValue } from '#contacts'
import { selectImportAt } from '#imports'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { selectLastChanges } from './changes.queries.ts'
import { isSameValue } from './contact-value.ts'
import { historyReader, type Mender } from './mending.ts'

/** A value that a caller has read, and that is not the current one any more. */
type Moved = { field: ContactField; from: ContactValue; current: ContactValue }

/** The values that have changed since a caller read them, and who has changed them, as far as that is known. */
export async function changedValues(
  tx: Db,
  { account }: Pick<Mender, 'account'>,
  { id, updatedAt }: { id: string; updatedAt: Date | null },
  moved: readonly Moved[],
): Promise<ChangedValue[]> {
  const ids = moved.map(({ field }) => field.id)
  const last = await selectLastChanges(tx, account, id, ids)
  const imported = updatedAt && (await selectImportAt(tx, account, updatedAt))
  const read = await historyReader(tx, account)
  const details: ChangedValue[] = []
  for (const { field, from, current } of moved) {
    const change = last.get(field.id)
    const isOfChange = change !== undefined && isSameValue(field, await read(field, change.to), current)
    const by = isOfChange
      ? { changedBy: change.actor, changedAt: change.at.toISOString() }
      : {
          changedBy: imported ? `Import "${imported}"` : null,
          changedAt: (imported && updatedAt?.toISOString()) || null,
        }
    details.push({ field: field.name, expected: from, current, ...by })
  }
  return details
}

/** The error with these values. */
export function valueChanged(details: readonly ChangedValue[]): AppError {
  const names = [...new Set(details.map(({ field }) => `"${field}"`))].join(', ')
  const [{ changedBy } = {}] = details
  const by = changedBy ? ` by ${changedBy}` : ''
  return new AppError('value_changed', details, `${names} was changed in the meantime${by}. Nothing was saved.`)
}
