import type { FieldType } from '@portico/contract/contacts'
import type { EventColumn, EventFieldName, KeyField } from './event-plan.ts'
import { type CellValue, cellValue, fitsWithSpace, shownValue } from '../reading/cell-values.ts'
import type { RecordBlock } from '../reading/record-block.ts'
import { misfitText } from '../reading/misfit-cells.ts'
import type { RefuseRow } from '../reading/row-refusal.ts'
import { type ReadingZone, valueTests } from '../reading/value-types.ts'

/**
 * Returns a check of rows of events that works on bytes. White space around a value is ignored; around numbers, dates
 * and booleans only that of ASCII, which PostgreSQL ignores too. `refusesTrigger`: sets aside rows whose `is_trigger`
 * is neither true nor false, instead of leaving the value out. `timeZone`: of the account.
 */
export function eventRowCheck(
  header: readonly string[],
  key: { position: number; field: KeyField },
  columns: readonly EventColumn[],
  { refusesTrigger, timeZone }: { refusesTrigger: boolean; timeZone: ReadingZone },
): RefuseRow {
  const width = header.length
  const positionOf = (name: EventFieldName): number =>
    columns.find(({ field }) => field.of === 'event' && field.name === name)?.position ?? -1
  const [code, date, trigger] = [positionOf('event_code'), positionOf('event_date'), positionOf('is_trigger')]
  return (block, row) => {
    const keyProblem = problemOf(block, cellValue(block, row, key.position, width), key.field.type, timeZone)
    if (keyProblem === 'empty') return `The key column "${header[key.position]}" is empty.`
    // A value of another type cannot match a contact.
    if (keyProblem === 'unfit') return noSuchContact
    if (problemOf(block, cellValue(block, row, code, width), 'string', timeZone)) return 'event_code is missing.'
    const dateCell = cellValue(block, row, date, width)
    const dateProblem = problemOf(block, dateCell, 'date', timeZone)
    if (dateProblem === 'empty') return 'event_date is missing.'
    if (dateProblem === 'unfit') {
      const isOfAnyYears = problemOf(block, dateCell, 'date', null) === null
      const shown = shownValue(block, dateCell)
      return `"${shown}" ${misfitText('date', shown, isOfAnyYears)}.`
    }
    if (trigger === -1 || !refusesTrigger) return null
    const triggerCell = cellValue(block, row, trigger, width)
    if (problemOf(block, triggerCell, 'boolean', timeZone) !== 'unfit') return null
    return `"${shownValue(block, triggerCell)}" is neither true nor false.`
  }
}

/** Reasons that depend on the contacts: see `matchEvents` in event-import.queries.ts. */
export const noSuchContact = 'No such contact.'
export const ambiguous = (contacts: number): string => `Ambiguous: ${contacts} contacts have this key.`

function problemOf(
  block: RecordBlock,
  value: CellValue,
  type: FieldType,
  timeZone: ReadingZone,
): 'empty' | 'unfit' | null {
  if (value.start === value.end) return 'empty'
  return type === 'string' || fitsWithSpace(block.bytes, value, valueTests[type], timeZone) ? null : 'unfit'
}
