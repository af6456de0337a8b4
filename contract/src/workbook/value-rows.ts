import { shownNumber } from '@portico/domain/decimals'
import { isInMomentYears } from '@portico/domain/moment-years'
import { wallTimeOf } from '@portico/domain/scheduler/zone-offsets'
import type { CellStyles } from './cell-styles.ts'
import { plainNumber } from '../exported-values.ts'
import { CellTooLong, columnLetters, mostCharacters, type SheetColumn } from './sheet-columns.ts'
import { cellText } from './sheet-text.ts'

/** How the values of rows become cells. `timeZone`: that of the clock for moments. */
export type RowWriting = { columns: readonly SheetColumn[]; styles: CellStyles; timeZone: string }

/**
 * Returns a row of a sheet as XML, for values from calls. Numbers and booleans are typed in any column, days and
 * moments in a column of theirs; all others are texts, and never formulas.
 * @throws CellTooLong
 */
export function valueRow(row: number, values: readonly unknown[], writing: RowWriting): string {
  const cells = values.map((value, at) => cellOf(`${columnLetters(at)}${row}`, value, at, writing))
  return `<row r="${row}">${cells.join('')}</row>\n`
}

function cellOf(place: string, value: unknown, at: number, { columns, styles, timeZone }: RowWriting): string {
  if (value === null || value === undefined || value === '') return ''
  const column = columns[at]
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (typeof value === 'number') {
    const style = column ? styles.styleOf({ ...column, type: 'number' }) : 0
    return isLong(value)
      ? textCell(place, plainNumber(String(value)), at)
      : numberCell(place, shownNumber(value), style)
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (!column || (column.type !== 'day' && column.type !== 'date')) return textCell(place, text, at)
  const counted = column.type === 'day' ? readDay(text) : readMoment(text, timeZone)
  if (counted === null) return textCell(place, text, at)
  return typeof counted === 'string' ? textCell(place, counted, at) : numberCell(place, counted, styles.styleOf(column))
}

const numberCell = (place: string, value: number, style: number): string =>
  `<c r="${place}"${style === 0 ? '' : ` s="${style}"`}><v>${value}</v></c>`

function textCell(place: string, text: string, at: number): string {
  if (text.length > mostCharacters) throw new CellTooLong(at)
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${cellText(text)}</t></is></c>`
}

/** Digits of a number that a sheet shows; it turns further ones into zeros. */
const shownDigits = 15

/** Returns whether a whole number has more digits than a sheet shows, as a code may. */
function isLong(value: number): boolean {
  return Number.isInteger(value) && Number(value.toPrecision(shownDigits)) !== value
}

const msPerDay = 86_400_000
/** Days between 30 December 1899, day 0 of sheets, and 1970. */
const daysUntil1970 = 25_569
/** Sheets have a 29 February 1900, so earlier days than March of that year are not supported. */
const firstDay = Date.UTC(1900, 2, 1)
const lastDay = Date.UTC(9999, 11, 31) + msPerDay - 1

/** Returns a day as a sheet counts it; text if sheets do not support it, null if the text is not a day. */
function readDay(text: string): number | string | null {
  const time = /^\d{4,6}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time)) return null
  return time < firstDay || time > lastDay ? text : time / msPerDay + daysUntil1970
}

/**
 * Returns a moment as a sheet counts it, in local time; text if sheets do not support it, null if it is not a moment.
 */
function readMoment(text: string, timeZone: string): number | string | null {
  const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(moment)) return null
  const wall = wallTimeOf(timeZone, moment)
  if (wall >= firstDay && wall <= lastDay) return wall / 1000 / 86_400 + daysUntil1970
  // An import could not read the year in local time.
  if (!isInMomentYears(wall)) return text
  const clock = new Date(wall).toISOString().replace('T', ' ').slice(0, -1)
  return clock.endsWith('.000') ? clock.slice(0, -4) : clock
}
