import type { AccountId } from '@portico/contract/accounts'
import type { UndoFigures } from '@portico/contract/import-undo'
import type { Db } from '#platform/database.ts'
import type { ImportRow } from '../imports.queries.ts'
import type { ImportPlan } from '../import-plan.ts'
import { keyColumns } from '../loading/import-keys.service.ts'
import { type ChangedTables, changedTables } from './changed-values.ts'
import { countCreated, countUnused, type IsEdited, unusedOnceUndone } from './created-contacts.queries.ts'
import { type LaterEdits, passToImports, selectLaterPlaces } from './later-records.queries.ts'
import { passToEdits } from './passed-to-edits.queries.ts'
import {
  countReturning,
  deleteRecords,
  type Recorded,
  returnUnlessTaken,
  selectKeptValues,
} from './returned-values.queries.ts'
import { selectUndoneOf } from './undo-rows.queries.ts'

type Kept = UndoFigures['kept']

/** Forecasts the effect of undoing an import of contacts, except on fields. `limit`: maximum number of listed items. */
export async function forecastUndo(
  db: Db,
  account: AccountId,
  row: ImportRow,
  { isEdited, limit }: { isEdited: IsEdited; limit: number },
): Promise<Omit<UndoFigures, 'removedEvents' | 'removedFields'>> {
  const all = { importId: row.id, contacts: null }
  const except = unusedOnceUndone(account, row.id, isEdited)
  const recorded = { ...all, except, later: await selectLaterPlaces(db, account, { ...all, ...planned(row) }) }
  const created = await countCreated(db, account, row.id, { limit, isEdited })
  const tables = await changedTables(db, account, planOf(row))
  const values = await selectKeptValues(db, account, recorded, tables, limit)
  const contacts: Kept = created.first.map((each) => ({ ...each, field: null }))
  return {
    removedContacts: created.removed,
    removedOthers: await countUnused(db, account, row.id, { isEdited }),
    keptContacts: created.kept,
    returnedContacts: await countReturning(db, account, recorded, tables),
    keptValues: values.count,
    kept: [...contacts, ...values.first].slice(0, limit),
  }
}

/**
 * Restores the values of some contacts that an import has changed, if they are still those it wrote, and deletes their
 * records. The next change of a value that stays gets the earlier value, to return it when it is undone. The contacts must be
 * locked. `limit`: maximum number of listed items.
 */
export async function returnChangedValues(
  tx: Db,
  account: AccountId,
  row: ImportRow,
  { ids, limit, edits }: { ids: readonly string[]; limit: number; edits: LaterEdits },
): Promise<{ returned: number; keptCount: number; kept: Kept }> {
  const tables = await changedTables(tx, account, planOf(row))
  const chunk = { importId: row.id, contacts: ids }
  const later = await selectLaterPlaces(tx, account, { ...chunk, ...planned(row) })
  const recorded = { ...chunk, later }
  const { count, first } = await selectKeptValues(tx, account, recorded, tables, limit)
  const { returned, refused } = await returnOrRefuse(tx, account, recorded, tables)
  await passToEdits(tx, account, { ...chunk, plan: planOf(row) }, { places: later, edits })
  await passToImports(tx, account, chunk, { places: later, edits })
  await deleteRecords(tx, account, row.id, ids)
  const taken = refused.map((contact) => ({ contact, field: null, reason: 'taken' as const }))
  return { returned, keptCount: count + refused.length, kept: [...first, ...taken].slice(0, limit) }
}

/**
 * Takes back what imports wrote in contacts that were deleted, or merged into others, while these imports were undone, and that
 * have returned.
 */
export async function returnMissedValues(
  tx: Db,
  account: AccountId,
  { ids, edits }: { ids: readonly string[]; edits: LaterEdits },
): Promise<void> {
  for (const row of await selectUndoneOf(tx, account, ids)) {
    await returnChangedValues(tx, account, row, { ids, limit: 1, edits })
  }
}

/**
 * Restores values of all contacts at once or, if a unique index does not allow that, one contact at a time, refusing
 * those whose earlier value another contact now has.
 */
async function returnOrRefuse(
  tx: Db,
  account: AccountId,
  recorded: Recorded & { contacts: readonly string[] },
  tables: ChangedTables,
): Promise<{ returned: number; refused: string[] }> {
  const now = new Date()
  const { contacts } = recorded
  const attempt = (ids: readonly string[]) =>
    returnUnlessTaken(tx, account, { ...recorded, contacts: ids }, tables, now)
  const all = await attempt(contacts)
  if (all !== null) return { returned: all, refused: [] }
  let returned = 0
  const refused: string[] = []
  for (const id of contacts) {
    const one = await attempt([id])
    if (one === null) refused.push(id)
    else returned += one
  }
  return { returned, refused }
}

/** The fields of an import, and those of its coordinates. */
function planned(row: ImportRow): Pick<Parameters<typeof selectLaterPlaces>[2], 'plan' | 'coordinates'> {
  const plan = planOf(row)
  const { latitude, longitude } = keyColumns(row, plan.columns)
  return { plan, coordinates: { latitude: latitude?.field.id ?? null, longitude: longitude?.field.id ?? null } }
}

/** An import of contacts has a plan for contacts once it has loaded some. */
const planOf = ({ plan }: ImportRow): ImportPlan => plan as ImportPlan
