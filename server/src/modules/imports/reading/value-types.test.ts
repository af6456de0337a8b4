import type { FieldType } from '@portico/contract/contacts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitsType, typeOfValue, valueTests } from './value-types.ts'

const types = ['string', 'number', 'boolean', 'date', 'day'] as const

describe('a number', () => {
  it.each(listed('0|7|-7|10|1.5|-0.5|0.001|0.0|1.50|123456789012345|0.00000123456789012345'))('is %j', (text) =>
    expect(typeOf(text)).toBe('number'),
  )

  it.each(
    listed(
      '|-|+1|007|00|-0|-0.00|1.|.5|1e5|1,5|1 | 1|0x1A|NaN|inf|1.2.3|--1|1-|٣',
      '1234567890123456|1.234567890123456|1000000000000000',
      `0.${'0'.repeat(400)}1`,
    ),
  )('is not %j', (text) => expect(fitsType(text, 'number', null)).toBe(false))
})

describe('a boolean', () => {
  it.each(listed('true|FALSE|True|fAlSe'))('is %j', (text) => expect(typeOf(text)).toBe('boolean'))

  it.each(listed('|t|tru|truee|yes|1| true|TRUE\0|fals\u0045\u0301|tr\u0015e|TRU%'))('is not %j', (text) =>
    expect(fitsType(text, 'boolean', null)).toBe(false),
  )
})

describe('a date', () => {
  it.each(
    listed(
      '2024-02-29|2000-02-29|1000-01-01|9999-12-31|2024-01-31T23:59|2024-01-31 00:00:00|2024-01-31T10:00:00.1',
      '2024-01-31T10:00:00.123456Z|2024-01-31T10:00Z|2024-01-31 10:00+05:30|2024-01-31 10:00:59-0330',
      '2024-01-31T10:00:00+15:59|1/2/2024|01/02/2024|12/31/1999|1/2/2024 0:00|1/2/2024 23:59:59',
      '1/2/2024 12:00 AM|1/2/2024 1:05pm|01/02/2024 12:59:59 pM',
    ),
  )('is %j', (text) => {
    expect(fitsType(text, 'date', null)).toBe(true)
    // A date without a time is a day.
    expect(typeOf(text)).toBe(text.includes(':') ? 'date' : 'day')
    expect(fitsType(text, 'day', null)).toBe(!text.includes(':'))
  })

  it.each(
    listed(
      '|2024|2024-1-1|2024-02-30|2023-02-29|1900-02-29|2024-13-01|2024-00-10|2024-01-00|0999-01-01|24-01-01',
      '12024-01-01|2024/01/31|20240131|2024-01-31 BC|2024-01-31T|2024-01-31T10|2024-01-31T10:0|2024-01-31T24:00',
      '2024-01-31T10:60|2024-01-31T10:00:60|2024-01-31T10:00:|2024-01-31T10:00:00.|2024-01-31T10:00:00.1234567',
      '2024-01-31T10:00.5|2024-01-31t10:00|2024-01-31Z|2024-01-31T10:00z|2024-01-31T10:00+16:00|2024-01-31T10:00+5',
      '2024-01-31T10:00+05|2024-01-31T10:00+05:60|2024-01-31T10:00 +05:00|now|today|epoch|infinity|January 5 2024',
      '31/1/2024|1/32/2024|2/29/2023|0/1/2024|1/0/2024|1/2/24|1/2/20245|001/2/2024|1-2-2024| 1/2/2024',
      '1/2/2024 24:00|1/2/2024 13:00 PM|1/2/2024 0:30 AM|1/2/2024 1 PM|1/2/2024 1:5|1/2/2024  1:05|1/2/2024T1:05',
      '1/2/2024 1:05 P|1/2/2024 1:05  PM|1/2/2024 1:05 PMT|1/2/2024 1:05Z',
    ),
  )('is not %j', (text) => expect(fitsType(text, 'date', null)).toBe(false))
})

describe('a moment moved out of the years 1000 to 9999 by its time zone or by rounding', () => {
  it.each([
    ['9999-12-31T23:30:00-02:00', 'UTC'],
    ['1000-01-01 00:30+0200', 'UTC'],
    ['9999-12-31T23:59:59.9995Z', 'UTC'],
    ['9999-12-31T23:30', 'America/New_York'],
    ['12/31/9999 11:30 PM', 'America/New_York'],
    ['1000-01-01', 'Asia/Tokyo'],
    ['1/1/1000', 'Asia/Tokyo'],
  ])('%s in %s is not a date', (text, timeZone) => {
    expect(fitsType(text, 'date', timeZone)).toBe(false)
    // Days have no zone, and plans of earlier releases accepted any year.
    expect(fitsType(text, 'day', timeZone)).toBe(!text.includes(':'))
    expect(fitsType(text, 'date', null)).toBe(true)
  })
})

describe('the types', () => {
  it('agree with the regular expressions that describe them', () => {
    fc.assert(
      fc.property(almostTyped, (text) => {
        for (const type of types) expect(fitsType(text, type, null), `${text} as ${type}`).toBe(describedAs(text, type))
      }),
      { numRuns: 20_000 },
    )
  })

  it('ignore bytes outside the value', () => {
    fc.assert(
      fc.property(almostTyped, almostTyped, almostTyped, (before, text, after) => {
        const bytes = Buffer.from(before + text + after)
        const start = Buffer.byteLength(before)
        const end = start + Buffer.byteLength(text)
        for (const type of types) expect(valueTests[type](bytes, start, end, null)).toBe(fitsType(text, type, null))
      }),
      { numRuns: 5000 },
    )
  })

  it('are exclusive, except for strings, and days among dates', () => {
    fc.assert(
      fc.property(almostTyped, (text) => {
        const fitting = types.filter((type) => fitsType(text, type, null))
        expect(fitting.length).toBeLessThanOrEqual(fitting.includes('day') ? 3 : 2)
        expect(typeOf(text)).toBe(fitting.at(-1))
      }),
    )
  })
})

/** The values between the bars. */
function listed(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split('|'))
}

function typeOf(text: string): FieldType {
  const bytes = Buffer.from(text)
  return typeOfValue(bytes, 0, bytes.length, null)
}

/** Values of all types, and values with one character added, removed or replaced. */
const almostTyped = fc
  .tuple(
    fc.oneof(
      fc.stringMatching(/^-?(0|[1-9]\d{0,17})(\.\d{1,17})?$/),
      fc.constantFrom('true', 'FALSE', 'False'),
      fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d([T ][0-2]\d:[0-6]\d(:[0-6]\d(\.\d{1,7})?)?(Z|[+-][01]\d:?[0-6]\d)?)?$/),
      fc.stringMatching(/^1?\d\/[0-3]?\d\/\d{4}( [0-2]?\d:[0-6]\d(:[0-6]\d)?( ?[aApP][mM])?)?$/),
    ),
    fc.option(
      fc.tuple(fc.nat(30), fc.constantFrom(...'0 1 5 9 - + . : / T Z a p m A P M , " é'.split(' '), ' '), fc.nat(1)),
      { freq: 2 },
    ),
  )
  .map(([text, change]) => {
    if (!change) return text
    const [place, character, isReplaced] = change
    const at = place % (text.length + 1)
    return text.slice(0, at) + character + text.slice(at + isReplaced)
  })

function describedAs(text: string, type: FieldType): boolean {
  if (type === 'string') return true
  if (type === 'boolean') return /^(true|false)$/i.test(text)
  if (type === 'number') return isDescribedNumber(text)
  return isDescribedDate(text) && (type === 'date' || text.length <= 10)
}

function isDescribedNumber(text: string): boolean {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) || text.length > 64 || /^-[0.]*$/.test(text)) return false
  return text.replace(/[-.]/g, '').replace(/^0+/, '').length <= 15
}

function isDescribedDate(text: string): boolean {
  const iso =
    /^([1-9]\d{3})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-5]):?[0-5]\d)?)?$/
  const american =
    /^(\d\d?)\/(\d\d?)\/([1-9]\d{3})(?: (?:(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?|(?:0?[1-9]|1[0-2]):[0-5]\d(?::[0-5]\d)? ?[AP]M))?$/i
  const [, isoYear, isoMonth, isoDay] = iso.exec(text) ?? []
  const [, month = isoMonth, day = isoDay, year = isoYear] = american.exec(text) ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}
