import type { AccountId } from '@portico/contract/accounts'
import { defaultDateField, type ExportInstruction } from '@portico/contract/scheduler/instructions'
import { offsetWindow } from '@portico/domain/scheduler/offset-window'
import { expandPredefined, isDated, openContactSource } from '#filters'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { findSaved } from '#saved-filters'
import { isEventField } from './export-selection.ts'
import { readStages } from './export-stages.service.ts'
import { type DateField, eventDates, windowStages } from './window-stages.ts'

/**
 * Returns the instruction with everything that selects rows in its runs as stages: saved filters in place of their
 * names, and the condition of its window (ADR 0116). Unchanged if a part cannot be read, which is reported on saving.
 */
export async function writtenOut(
  db: Db,
  account: AccountId,
  instruction: ExportInstruction,
): Promise<ExportInstruction> {
  const { aggregateQuery, dateField, exportFields, offset } = instruction
  if (offset === undefined && !aggregateQuery?.includes('predefined')) return instruction
  try {
    const named = readStages(aggregateQuery?.trim() || null)
    const stages = await expandPredefined(named, findSaved(db, account))
    const date = await requireDateField(db, account, dateField)
    // The day is irrelevant: conditions only see which field a window applies to.
    const window = offset === undefined ? null : offsetWindow(offset, Date.now(), 'UTC')
    const all = window ? windowStages({ stages, hidesLater: false }, exportFields, window, date) : stages
    return { ...instruction, aggregateQuery: JSON.stringify(all) }
  } catch (error) {
    if (error instanceof AppError) return instruction
    throw error
  }
}

/**
 * Looks up the date that a window applies to. Its type may have changed since the cron was saved. @throws invalid_input
 */
export async function requireDateField(
  db: Db,
  account: AccountId,
  name: string = defaultDateField,
): Promise<DateField> {
  if (name === defaultDateField) return eventDates
  const source = await openContactSource(db, account, { rows: null })
  const field = isEventField(name) ? undefined : source.scope().resolve(name)
  if (!field || !isDated(field)) throw invalidField('dateField', `"${name}" is not a date field of contacts.`)
  return { name, type: field.type === 'day' ? 'day' : 'date' }
}
