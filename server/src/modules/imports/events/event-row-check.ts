import { isAscii } from 'node:buffer'
import type { FieldType } from '@portico/contract/contacts'
import type { EventColumn, EventFieldName, KeyField } from './event-plan.ts'
import { fault, type RecordBlock } from '../reading/record-block.ts'
import { valueEnd, valueStart } from '../reading/blank-cells.ts'
import type { RefuseRow } from '../reading/row-refusal.ts'
import { valueTests } from '../reading/value-types.ts'

/**
 * Checks a row of events on its bytes. White space around a value is ignored; around numbers, dates and booleans only that of
 * ASCII, which PostgreSQL ignores too.
 */
export function eventRowCheck(
  header: readonly string[],
  key: { position: number; field: KeyField },
  columns: readonly EventColumn[],
): RefuseRow {
  const width = header.length
  const positionOf = (name: EventFieldName): number =>
    columns.find(({ field }) => field.of === 'event' && field.name === name)?.position ?? -1
  const [code, date, trigger] = [positionOf('event_code'), positionOf('event_date'), positionOf('is_trigger')]
  return (block, row) => {
    const keyProblem = problemOf(block, cellAt(block, row, key.position, width), key.field.type)
    if (keyProblem === 'empty') return `The key column "${header[key.position]}" is empty.`
    // A value of another type cannot match a contact.
    if (keyProblem === 'unfit') return noSuchContact
    if (problemOf(block, cellAt(block, row, code, width), 'string')) return 'event_code is missing.'
    const dateCell = cellAt(block, row, date, width)
    const dateProblem = problemOf(block, dateCell, 'date')
    if (dateProblem === 'empty') return 'event_date is missing.'
    if (dateProblem === 'unfit') return `"${textOf(block, dateCell)}" is not a date.`
    if (trigger === -1) return null
    const triggerCell = cellAt(block, row, trigger, width)
    if (problemOf(block, triggerCell, 'boolean') !== 'unfit') return null
    return `"${textOf(block, triggerCell)}" is neither true nor false.`
  }
}

/** Reasons that depend on the contacts: see `matchEvents` in event-import.queries.ts. */
export const noSuchContact = 'No such contact.'
export const ambiguous = (contacts: number): string => `Ambiguous: ${contacts} contacts have this key.`

/** `isInAscii`: the white space around the value. */
type Cell = { start: number; end: number; isInAscii: boolean }

/** A cell without its quotes and surrounding white space. */
function cellAt({ bytes, starts, cellEnds, faults }: RecordBlock, row: number, column: number, width: number): Cell {
  const cell = row * width + column
  // The `!`: every cell of every row has an offset, and every row its faults.
  const from = column === 0 ? starts[row]! : cellEnds[cell - 1]! + 1
  const to = cellEnds[cell]!
  const isUtf8 = (faults[row]! & fault.notUtf8) === 0
  const start = valueStart(bytes, from, to, isUtf8)
  const end = Math.max(start, valueEnd(bytes, from, to, isUtf8))
  return { start, end, isInAscii: isAscii(bytes.subarray(from, start)) && isAscii(bytes.subarray(end, to)) }
}

function problemOf({ bytes }: RecordBlock, { start, end, isInAscii }: Cell, type: FieldType): 'empty' | 'unfit' | null {
  if (start === end) return 'empty'
  return valueTests[type](bytes, start, end) && (type === 'string' || isInAscii) ? null : 'unfit'
}

// Enough to find the row by; the report has all of it.
const shownBytes = 60

function textOf({ bytes }: RecordBlock, { start, end }: Cell): string {
  const text = bytes.toString('utf8', start, Math.min(end, start + shownBytes))
  return end - start > shownBytes ? `${text}…` : text
}
