import { shownNumber } from './decimals.ts'

/** How the values of a number field are written. `plain`: without separators, as for ids and years. */
export const formatStyles = ['plain', 'decimal', 'percent', 'currency'] as const
export type FormatStyle = (typeof formatStyles)[number]

/**
 * The format of a number field. `decimals`: how many are written; null for those of the value. `currency`: its ISO
 * code, only with the style of that name.
 */
export type FieldFormat = {
  style: FormatStyle
  decimals: number | null
  currency: string | null
  /** Texts before and after each number; only of columns of cells, like `isShort`. */
  prefix?: string | undefined
  suffix?: string | undefined
  /** Abbreviated, such as 1.2K. */
  isShort?: boolean | undefined
}

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
  const intl = format.isShort ? shortOf(format, format.decimals ?? 1) : intlOf(format, mostDigits)
  return around(intl.format(shownNumber(value)), format)
}

/** The sign of a number comes first: -€5. */
function around(text: string, { prefix = '', suffix = '' }: FieldFormat): string {
  return text.startsWith('-') ? `-${prefix}${text.slice(1)}${suffix}` : `${prefix}${text}${suffix}`
}

/** The same at the ticks of an axis, abbreviated, such as $1.2K. Percentages and plain numbers have no short form. */
export function writeShortNumber(value: number, format: FieldFormat): string {
  const { style } = format
  if (style === 'plain' || style === 'percent') {
    return writeNumber(value, { ...format, decimals: null, isShort: false }, 4)
  }
  return around(shortOf(format, 1).format(value), format)
}

/** Abbreviates, with at most this number of decimals. */
function shortOf({ style, currency }: FieldFormat, decimals: number): Intl.NumberFormat {
  const key = `short ${style} ${currency} ${decimals}`
  const digits = { minimumFractionDigits: 0, maximumFractionDigits: decimals }
  const found =
    known.get(key) ?? new Intl.NumberFormat('en-US', { ...unit(style, currency), notation: 'compact', ...digits })
  known.set(key, found)
  return found
}

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
