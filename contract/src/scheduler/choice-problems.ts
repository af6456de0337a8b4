import type { FieldProblem } from '../errors.ts'
import { messages } from '../messages.ts'
import type { Period } from '@portico/domain/scheduler/cron-parts'
import { customOffset, isOffset } from '@portico/domain/scheduler/offset-window'
import { schedulerMessages } from './scheduler-messages.ts'

/** How a cron ends, as asked by the dialog. */
export const endTypes = ['End Date', 'Number of repeats'] as const
export type EndType = (typeof endTypes)[number]

/** The choices in the dialog from which an expression is made. Null: nothing is chosen. */
export type TimingChoices = {
  period: Period | null
  weekdays: number[]
  days: number[]
  hour: number | null
  offset: string | null
  /** The offset is a typed number of days, not one of the choices. */
  isCustomOffset: boolean
  endType: EndType
  cronEnd: string
  cronRepeat: number | null
}

/** Returns the problems of those choices in addition to `cronProblems`, by field (specification 4 §5). */
export function choiceProblems(choices: TimingChoices): FieldProblem[] {
  const { period, weekdays, days, hour, endType, cronEnd, cronRepeat } = choices
  const missing: Record<string, boolean> = {
    period: period === null,
    weekdays: period === 'Weekly' && weekdays.length === 0,
    days: period === 'Monthly' && days.length === 0,
    hour: hour === null,
    cronEnd: period !== 'Once' && endType === 'End Date' && cronEnd === '',
    cronRepeat: period !== 'Once' && endType === 'Number of repeats' && cronRepeat === null,
  }
  const required = Object.keys(missing).filter((field) => missing[field])
  return [...required.map((field) => ({ field, message: messages.required })), ...offsetProblems(choices)]
}

function offsetProblems({ offset, isCustomOffset }: TimingChoices): FieldProblem[] {
  if (offset === null || offset === '') return [{ field: 'offset', message: messages.required }]
  const isNumber = /^-?\d+$/.test(offset)
  // On the wire, fewer days mean the choices with that number.
  if (isCustomOffset && isNumber && Number(offset) < customOffset.least) {
    return [{ field: 'offset', message: schedulerMessages.offsetTooSmall }]
  }
  if (isOffset(offset)) return []
  const isTooGreat = isNumber && Number(offset) > customOffset.most
  return [{ field: 'offset', message: isTooGreat ? schedulerMessages.offsetTooGreat : messages.invalid }]
}
