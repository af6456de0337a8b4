import type { AccountId } from '@portico/contract/accounts'
import type { FieldEntry } from '@portico/contract/fields'
import type { Stages } from '@portico/contract/filter'
import {
  type CatalogueRow,
  type ColumnStatistics,
  fieldsReadOfAll,
  readableFields,
  type RetypeRow,
  selectCatalogue,
  selectColumnStatistics,
  selectLastRetypes,
  shownFormat,
} from '#contacts'
import { selectImportsAt } from '#imports'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'

/** For how long a deleted field can be restored. */
export const keptMs = 30 * 86_400_000

/** Returns the fields that the caller may read, deleted ones included. Estimates are of all contacts, so they are for those who see all of them. */
export async function listFieldDetails(
  { db, caller, rows }: { db: Db; caller: Pick<Caller, 'can' | 'rows'>; rows: Stages | null },
  account: AccountId,
): Promise<FieldEntry[]> {
  const fields = await readableFields(caller, await selectCatalogue(db, account))
  const statistics =
    rows === null
      ? await selectColumnStatistics(db, account, await fieldsReadOfAll(caller, fields))
      : new Map<number, ColumnStatistics>()
  const imports = await selectImportsAt(
    db,
    account,
    fields.map(({ created_at: at }) => at),
  )
  const retypes = await selectLastRetypes(db, account)
  return fields.map((field, at) => toEntry(field, statistics.get(field.id), imports.get(at), retypes.get(field.id)))
}

export function toEntry(
  row: CatalogueRow,
  statistics: ColumnStatistics | undefined,
  from: { id: string; name: string } | undefined,
  retype?: RetypeRow,
): FieldEntry {
  return {
    _id: String(row.id),
    version: row.version,
    name: row.name,
    type: row.type,
    chosenFormat: row.format,
    format: shownFormat(row),
    filled: statistics?.filled ?? null,
    distinct: statistics?.distinct ?? null,
    import: from ? { _id: from.id, name: from.name } : null,
    createdAt: row.created_at.toISOString(),
    changedAt: row.changed_at?.toISOString() ?? null,
    typeChange: retype && retype.status !== 'completed' ? typeChangeOf(retype) : null,
    deleted: row.deleted_at && {
      at: row.deleted_at.toISOString(),
      by: row.deleted_by ?? '',
      until: new Date(row.deleted_at.getTime() + keptMs).toISOString(),
    },
  }
}

function typeChangeOf({ reading, status, done, total, recovery_error: reason }: RetypeRow): FieldEntry['typeChange'] {
  return { type: reading.type, status, progress: Math.min(1, Number(done) / Math.max(1, Number(total))), reason }
}
