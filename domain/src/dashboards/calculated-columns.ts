import { type ColumnExpression, type ColumnValue, ExpressionError, readExpression } from './expression.ts'
import { foldName } from '../names.ts'

/** A column as stored in its cell; the functions below read `fix` and `position`. */
type StoredColumn = { name: string; expression: string; fix: string; position: string }

export type Fix = { kind: 'none' } | { kind: 'pre' | 'post'; text: string }
export type Position = { kind: 's' | 'e' } | { kind: 'b' | 'a'; column: string }

/** Splits at the first `::`. Null for a text without one. */
function split(text: string): [kind: string, rest: string] | null {
  const at = text.indexOf('::')
  return at === -1 ? null : [text.slice(0, at), text.slice(at + 2)]
}

/** Returns null for an invalid text. */
export function readFix(text: string): Fix | null {
  if (text === 'none') return { kind: 'none' }
  const [kind, fixed] = split(text) ?? []
  return (kind === 'pre' || kind === 'post') && fixed ? { kind, text: fixed } : null
}

/** Returns null for an invalid text. */
export function readPosition(text: string): Position | null {
  if (text === 's' || text === 'e') return { kind: text }
  const [kind, column] = split(text) ?? []
  return (kind === 'b' || kind === 'a') && column ? { kind, column } : null
}

type Row = Record<string, unknown>

/** A column of a table with calculated ones. `isRounded`, from its expression, and `fix` only apply to those. */
export type TableColumn = { name: string; isCalculated: boolean; isRounded: boolean; fix: Fix }

/** A table's columns and its rows, with the values of the calculated columns. */
export type CalculatedTable = { columns: TableColumn[]; rows: Map<string, ColumnValue>[] }

/**
 * Adds the calculated columns to the rows of a table. A column with an invalid expression has no values; one whose
 * neighbor no longer exists moves to the end. Rows are looked up by `foldName`.
 */
export function calculateTable(
  names: readonly string[],
  rows: readonly Row[],
  calculated: readonly StoredColumn[],
): CalculatedTable {
  const expressions = calculated.map(({ name, expression }) => ({
    key: foldName(name),
    read: readQuietly(expression),
  }))
  return {
    columns: placeColumns(names, calculated),
    rows: rows.map((row) => {
      const values = new Map(names.map((name) => [foldName(name), toColumnValue(row[name])]))
      for (const { key, read } of expressions) {
        values.set(key, read ? read.evaluate((column) => values.get(column) ?? null) : null)
      }
      return values
    }),
  }
}

function readQuietly(expression: string): ColumnExpression | null {
  try {
    return readExpression(expression)
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
}

function toColumnValue(value: unknown): ColumnValue {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? value : null
}

/** Returns all columns in order. */
export function placeColumns(names: readonly string[], calculated: readonly StoredColumn[]): TableColumn[] {
  const columns: TableColumn[] = names.map((name) => ({
    name,
    isCalculated: false,
    isRounded: false,
    fix: { kind: 'none' },
  }))
  let starts = 0
  for (const { name, expression, fix, position } of calculated) {
    const isRounded = readQuietly(expression)?.isRounded ?? false
    const column: TableColumn = { name, isCalculated: true, isRounded, fix: readFix(fix) ?? { kind: 'none' } }
    const place = readPosition(position) ?? { kind: 'e' }
    if (place.kind === 's') columns.splice(starts++, 0, column)
    else columns.splice(placeOf(place, columns), 0, column)
  }
  return columns
}

function placeOf(place: Position, columns: readonly TableColumn[]): number {
  if (!('column' in place)) return columns.length
  const at = columns.findIndex(({ name }) => foldName(name) === foldName(place.column))
  if (at === -1) return columns.length
  return place.kind === 'b' ? at : at + 1
}

/** Adds the column's fixed text to a value; an empty value stays empty. */
export function withFix(text: string, fix: Fix): string {
  if (text === '' || fix.kind === 'none') return text
  return fix.kind === 'pre' ? `${fix.text}${text}` : `${text}${fix.text}`
}
