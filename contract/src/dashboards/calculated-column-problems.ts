import { readFix, readPosition } from '@portico/domain/dashboards/calculated-columns'
import { ExpressionError, readExpression } from '@portico/domain/dashboards/expression'
import { foldName } from '@portico/domain/names'
import { messages } from '../messages.ts'
import type { CalculatedColumn } from './calculated-column.ts'

/** A problem with the calculated column at `index`. */
export type ColumnProblem = { index: number; key: keyof CalculatedColumn; message: string }

/**
 * Returns the problems of the columns, in order. Names are unique in any letter case, and an expression names at least
 * one column (specification 4 §5). `known`: the table's own columns; without it, only the calculated ones are checked,
 * which may only use earlier ones.
 */
export function columnProblems(columns: readonly CalculatedColumn[], known?: readonly string[]): ColumnProblem[] {
  const names = columns.map(({ name }) => foldName(name))
  const own = known && new Set(known.map(foldName))
  return columns.flatMap((column, index) => {
    const problem = (key: ColumnProblem['key'], message: string): ColumnProblem => ({ index, key, message })
    const found: ColumnProblem[] = []
    const name = names[index] ?? ''
    if (names.indexOf(name) < index || own?.has(name)) found.push(problem('name', messages.duplicate))
    const inExpression = expressionProblem(column, { before: names.slice(0, index), later: names.slice(index), own })
    if (inExpression !== null) found.push(problem('expression', inExpression))
    if (!readFix(column.fix)) found.push(problem('fix', fixProblem(column.fix)))
    if (!readPosition(column.position)) found.push(problem('position', fixProblem(column.position)))
    return found
  })
}

const fixProblem = (text: string): string =>
  /^(?:pre|post|b|a)(?:::)?$/.test(text) ? messages.required : 'Value is invalid!'

type Names = { before: string[]; later: string[]; own: Set<string> | undefined }

function expressionProblem({ expression }: CalculatedColumn, { before, later, own }: Names): string | null {
  try {
    const { columns } = readExpression(expression)
    if (columns.length === 0) return 'Value is invalid!'
    for (const name of columns) {
      if (own?.has(name) || before.includes(name)) continue
      if (later.includes(name)) return `{{${name}}} is calculated after this column. Use columns that come before it.`
      if (own) return `There is no column {{${name}}}.`
    }
    return null
  } catch (error) {
    if (error instanceof ExpressionError) return `${error.message} (character ${error.at + 1})`
    throw error
  }
}
