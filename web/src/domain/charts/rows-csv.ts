import { guardFormula, plainNumber } from '@portico/contract/exported-values'
import type { GroupKey } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { keyText } from './key-text.ts'

type Csv = {
  columns: readonly { name: string; label: string }[]
  /** Keys of the groups, of which parts of dates are written as they are read (May, Monday). */
  keys: readonly GroupKey[]
  rows: readonly Row[]
  /** Puts an apostrophe before text that a spreadsheet would run as a formula. */
  guardFormulas?: boolean
}

/**
 * Rows as CSV, with the labels of the columns in the first line. Numbers have all their digits, dates stay as the API
 * gives them.
 */
export function rowsCsv({ columns, keys, rows, guardFormulas = true }: Csv): string {
  const parts = new Map(keys.filter(({ part }) => part !== null).map((key) => [key.name, key]))
  const write = (value: unknown): string => cell(value, guardFormulas)
  const head = columns.map(({ label }) => write(label))
  const lines = rows.map((row) =>
    columns.map(({ name }) => {
      const [value, key] = [row[name] ?? null, parts.get(name)]
      return write(key && value !== null ? keyText(value, key) : value)
    }),
  )
  return [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')
}

function cell(value: unknown, guardFormulas: boolean): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return plainNumber(String(value))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const guarded = guardFormulas && typeof value === 'string' ? guardFormula(text) : text
  return /[",\r\n]|^\s|\s$/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
