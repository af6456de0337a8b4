import type { AccountId } from '@portico/contract/accounts'
import { UndoFigures } from '@portico/contract/import-undo'
import { mostKeptListed } from '@portico/contract/undo-limits'
import { isEdited } from '#contact-edits'
import { hasEnteredKeys } from '#contacts'
import { selectUnused } from '#fields'
import { userQuery } from '#filters'
import { countImportedEvents, countUnused, findImport, forecastUndo } from '#imports'
import type { Db } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { newFields } from './new-fields.service.ts'
import { requireUndoable } from './undo-request.service.ts'

/**
 * Forecasts the effect of undoing an import; after the undo was requested, returns its progress.
 * @throws not_found, also for ids of other accounts; not_undoable; timed_out
 */
export async function getImportUndo(
  { db, signal, uses }: { db: Db; signal: AbortSignal; uses: readonly FieldUses[] },
  account: AccountId,
  id: string,
): Promise<UndoFigures> {
  const row = await findImport(db, account, id)
  if (row.undo_status !== null && row.undo !== null && row.undo_status !== 'rejected')
    return UndoFigures.parse(row.undo)
  requireUndoable(row)
  if (row.kind === 'events') {
    return userQuery({ db, signal }, async (reader) => ({
      ...ofNothing,
      removedEvents: await countImportedEvents(reader, account, row.id),
      removedOthers: await countUnused(reader, account, row.id, { isEdited }),
    }))
  }
  const forecast = await userQuery({ db, signal }, (reader) =>
    forecastUndo(reader, account, row, { isEdited, limit: mostKeptListed }),
  )
  // The import's own rules use fields as long as they bind.
  const binds = forecast.keptContacts > 0 || (await hasEnteredKeys(db, account))
  const exceptImport = binds ? null : row.name
  const fields = await selectUnused({ db, uses, signal }, account, await newFields(db, account, row.id), {
    exceptImport,
  })
  return { ...forecast, removedEvents: 0, removedFields: fields.map(({ name }) => name) }
}

const ofNothing: UndoFigures = {
  removedContacts: 0,
  removedOthers: 0,
  returnedContacts: 0,
  keptContacts: 0,
  keptValues: 0,
  removedEvents: 0,
  removedFields: [],
  kept: [],
}
