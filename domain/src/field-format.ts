import { shownNumber } from './decimals.ts'

/** How the values of a number field are written. `plain`: without separators, as for ids and years. */
export const formatStyles = ['plain', 'decimal', 'percent', 'currency'] as const
export type FormatStyle = (typeof formatStyles)[number]

/**
 * The format of a number field. `decimals`: how many are written; null for those of the value. `currency`: its ISO
 * code, only with the style of that name.
 */
export type FieldFormat = { style: FormatStyle; decimals: number | null; currency: string | null }

export const plainFormat: FieldFormat = { style: 'plain', decimals: null, currency: null }

/** The default currency of a format. */
export const usualCurrency = 'USD'

export const mostDecimals = 10

const known = new Map<string, Intl.NumberFormat>()

/**
 * Writes a number in the format of its field, like `shownNumber`. A percentage is a share: 0.12 is 12%. `mostDigits`:
 * decimals of a computed value, such as an average, if the format does not fix any.
 */
export function writeNumber(value: number, format: FieldFormat, mostDigits = 20): string {
  return intlOf(format, mostDigits).format(shownNumber(value))
}

/** The same at the ticks of an axis, abbreviated, such as $1.2K. Percentages and plain numbers have no short form. */
export function writeShortNumber(value: number, { style, currency }: FieldFormat): string {
  if (style === 'plain' || style === 'percent') return writeNumber(value, { style, decimals: null, currency }, 4)
  const key = `short ${style} ${currency}`
  const found = known.get(key) ?? new Intl.NumberFormat('en-US', { ...unit(style, currency), ...short })
  known.set(key, found)
  return found.format(value)
}

const short = { notation: 'compact', maximumFractionDigits: 1, minimumFractionDigits: 0 } as const

function intlOf({ style, decimals, currency }: FieldFormat, mostDigits: number): Intl.NumberFormat {
  const key = `${style} ${decimals} ${currency} ${mostDigits}`
  const found = known.get(key)
  if (found) return found
  const digits =
    decimals === null
      ? { minimumFractionDigits: style === 'currency' ? Math.min(2, mostDigits) : 0, maximumFractionDigits: mostDigits }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const made = new Intl.NumberFormat('en-US', {
    ...unit(style, currency),
    ...digits,
    useGrouping: style !== 'plain',
    ...(decimals === null && { trailingZeroDisplay: 'stripIfInteger' }),
  })
  known.set(key, made)
  return made
}

const unit = (style: FormatStyle, currency: string | null): Intl.NumberFormatOptions =>
  style === 'currency'
    ? { style: 'currency', currency: currency ?? usualCurrency }
    : style === 'percent'
      ? { style: 'percent' }
      : {}
