import type { Field } from '@portico/contract/contacts'
import { accountTimeZone } from '#lib/session/session.ts'

export type Value = string | number | boolean | null

/** Values are part of the contact, whose fields the contract leaves open. */
export const valueOf = (value: unknown): Value =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

/** The text of a value in its input. */
export function textOf(value: Value, type: Field['type']): string {
  if (value === null) return ''
  return type === 'date' ? localTime(String(value)) : String(value)
}

/** The value of an input's text; undefined if it does not fit the type. */
export function readText(text: string, type: Field['type']): Value | undefined {
  if (text.trim() === '') return null
  if (type === 'boolean') return text === 'true'
  if (type !== 'number') return text
  const number = /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

export const notANumber = 'Enter a number, such as 1250.5.'

/**
 * A moment as local time in the account's zone, in the form of an input: without trailing zeros in its fraction. The
 * server reads it in the same zone.
 */
function localTime(moment: string): string {
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return moment
  const { year, month, day, hour, minute, second, fractionalSecond } = Object.fromEntries(
    formatOf(accountTimeZone())
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  )
  const fraction = fractionalSecond === '000' ? '' : `.${fractionalSecond?.replace(/0{1,2}$/, '')}`
  return `${year?.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}${fraction}`
}

const formatOf = (timeZone: string | undefined) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  })
