/** The values that each field of an expression allows, ascending. `weekdays`: 1 for Monday to 7 for Sunday. */
export type CronFields = {
  minutes: number[]
  hours: number[]
  /** Null if the field is `*`, without a limit. If both days and weekdays are given, either is enough. */
  days: number[] | null
  months: number[] | null
  weekdays: number[] | null
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

type Field = { lowest: number; highest: number; /** Names of the values, from the lowest on. */ names?: string[] }

const minute: Field = { lowest: 0, highest: 59 }
const hour: Field = { lowest: 0, highest: 23 }
const day: Field = { lowest: 1, highest: 31 }
const month: Field = { lowest: 1, highest: 12, names: monthNames }
// Sunday is both 0 and 7.
const weekday: Field = { lowest: 0, highest: 7, names: weekdayNames }

export const maxExpressionLength = 300

/** Splits an expression into its parts: minute, hour, day of the month, month, weekday. */
export const splitExpression = (expression: string): string[] => expression.trim().split(/\s+/)

/**
 * Parses a five-field expression: numbers, names of months and weekdays, `*`, ranges, lists, and steps of `*` or a
 * range. Null if it is invalid.
 */
export function parseCron(expression: string): CronFields | null {
  if (expression.length > maxExpressionLength) return null
  const parts = splitExpression(expression)
  if (parts.length !== 5) return null
  const [minutes, hours, days, months, weekdays] = [minute, hour, day, month, weekday].map((field, index) =>
    valuesOf(parts[index] ?? '', field),
  )
  if (!minutes || !hours || !days || !months || !weekdays) return null
  const limits = (index: number, values: number[]): number[] | null => (parts[index] === '*' ? null : values)
  const fromMonday = [...new Set(weekdays.map((value) => (value === 0 ? 7 : value)))].sort((a, b) => a - b)
  return { minutes, hours, days: limits(2, days), months: limits(3, months), weekdays: limits(4, fromMonday) }
}

/** Returns the values of a field, ascending and without repetition. Null if it is invalid. */
function valuesOf(text: string, field: Field): number[] | null {
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const [, start, end, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,2}))?$/.exec(item) ?? []
    if (start === undefined || (start === '*' && end !== undefined)) return null
    // croner accepts steps only of * and ranges.
    if (step !== undefined && start !== '*' && end === undefined) return null
    const from = start === '*' ? field.lowest : valueOf(start, field)
    const to = start === '*' ? field.highest : end === undefined ? from : valueOf(end, field)
    const by = Number(step ?? 1)
    if (from === null || to === null || from > to || by < 1 || by > field.highest) return null
    for (let value = from; value <= to; value += by) values.add(value)
  }
  return [...values].sort((a, b) => a - b)
}

function valueOf(text: string, { lowest, highest, names }: Field): number | null {
  const named = names?.indexOf(text.toUpperCase()) ?? -1
  const value = named >= 0 ? lowest + named : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= lowest && value <= highest ? value : null
}

/** Returns whether it runs in every hour: its runs are then counted by elapsed time and not by the clock. */
export const isEveryHour = ({ hours }: CronFields): boolean => hours.length === 24
