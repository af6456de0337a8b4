import type { z } from 'zod'
import { checkInput } from '../check-input.ts'
import { ChartOptions } from './chart-options.ts'

/** A problem of chart options. `path` leads to the option: `['hAxis', 'gridlines', 'count']`. */
export type OptionProblem = { path: string[]; message: string }

/**
 * Returns the options as they are stored (specification 1 §3): without empty texts, nulls, and empty objects and lists.
 * Entries of a list keep their positions.
 */
export function withoutEmpty(options: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(options).map(([name, value]): [string, unknown] => [name, emptied(value)])
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)))
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(emptied)
  return typeof value === 'object' && value !== null ? withoutEmpty(value as Record<string, unknown>) : value
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === null || value === undefined) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Returns the problems of options, each at the wrong option, even if an option has several forms. */
export function optionProblems(options: unknown): OptionProblem[] {
  const read = checkInput(ChartOptions, options)
  return read.success ? [] : read.error.issues.flatMap((issue) => deepest(issue, []))
}

/** Returns the problems within the form that was meant: for a list of series, only those of its entries. */
function deepest(issue: z.core.$ZodIssue, within: readonly PropertyKey[]): OptionProblem[] {
  const path = [...within, ...issue.path]
  if (issue.code === 'invalid_union') {
    const [meant, ...others] = issue.errors.filter((form) => !form.some(isWrongType))
    if (meant && others.length === 0) return meant.flatMap((one) => deepest(one, path))
  }
  return [{ path: path.map(String), message: issue.message }]
}

const isWrongType = ({ code, path }: z.core.$ZodIssue): boolean => code === 'invalid_type' && path.length === 0
