import type { Grouping, Row } from '@portico/contract/dashboards/groups'
import { keyText } from './group.ts'

/** Texts that programs for spreadsheets run as formulas begin like this. */
const formula = /^[=+\-@\t\r]/
/** A sign and digits are a number, or a telephone's. */
const signedDigits = /^[+-](?=.{1,64}$)(?:\d+\.?\d*|\.\d+)$/

type Csv = {
  grouping: Grouping
  rows: readonly Row[]
  /** Puts an apostrophe before text that a spreadsheet would run as a formula. */
  guardFormulas?: boolean
}

/**
 * Rows of a grouping as CSV, with the names of the columns in the first line. Numbers have all their digits, dates stay as
 * the API gives them, parts of dates are written as they are read (May, Monday).
 */
export function rowsCsv({ grouping, rows, guardFormulas = true }: Csv): string {
  const { keys, values } = grouping
  const write = (value: unknown): string => cell(value, guardFormulas)
  const head = [...keys.map(({ name, field }) => (name === '_id' ? field : name)), ...values].map(write)
  const lines = rows.map((row) => [
    ...keys.map((key) => {
      const value = row[key.name] ?? null
      return write(key.part !== null && value !== null ? keyText(value, key) : value)
    }),
    ...values.map((name) => write(row[name] ?? null)),
  ])
  return [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}

function cell(value: unknown, guardFormulas: boolean): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return plainDigits(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const guarded = guardFormulas && formula.test(text) && !signedDigits.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

const digits = new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 20 })

/** Without an exponent, which programs for spreadsheets would round. */
const plainDigits = (value: number): string => (/e/.test(String(value)) ? digits.format(value) : String(value))
