import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import { optionProblems, withoutEmpty } from '@portico/contract/dashboards/option-problems'
import { messages } from '@portico/contract/messages'
import { lineAt, placeOf, scanJson } from '#ui/form/json-scan.ts'
import type { JsonProblem } from '#ui/form/json-suggestions.ts'
import type { OptionValues } from './option-values.ts'

/**
 * Options read from a text. `options`: as stored, without empty values; null if one is invalid. `parsed`: as in the
 * text; null if it holds no options. `error`: the first problem, with its line.
 */
export type ReadOptions = {
  options: ChartOptions | null
  parsed: OptionValues | null
  problems: JsonProblem[]
  error: string | null
}

export const textOfOptions = (options: OptionValues): string => JSON.stringify(options, null, 2)

/** Reads JSON text as options. A text that starts with a quote is refused (specification 1 §5). */
export function readOptions(text: string): ReadOptions {
  const scan = scanJson(text)
  const whole = { from: 0, to: text.length }
  if (text.trimStart().startsWith('"')) return refused(text, null, [{ ...whole, message: messages.invalid }])
  if (scan.fault !== null) {
    const message = text.trim() === '' ? messages.required : 'This is not JSON.'
    return refused(text, null, [{ from: scan.fault, to: Math.min(scan.fault + 1, text.length), message }])
  }
  const parsed: unknown = JSON.parse(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return refused(text, null, [{ ...whole, message: 'Enter an object, such as {"height": 250}.' }])
  }
  const values = { ...parsed } as OptionValues
  const kept = withoutEmpty(values)
  const problems = optionProblems(kept).map(({ path, message }) => ({
    ...placeOf(scan, path),
    message: `${path.join('.')}: ${message}`,
  }))
  if (problems.length > 0) return refused(text, values, problems)
  return { options: kept as ChartOptions, parsed: values, problems, error: null }
}

function refused(text: string, parsed: OptionValues | null, problems: JsonProblem[]): ReadOptions {
  const [first] = problems.toSorted((one, other) => one.from - other.from)
  return { options: null, parsed, problems, error: first ? `Line ${lineAt(text, first.from)}: ${first.message}` : null }
}
