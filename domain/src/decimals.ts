/**
 * A computed number without the noise of binary arithmetic: 0.1 + 0.2 is 0.3. A number that needs all its digits, as 1 / 3
 * does, is unchanged, and so is a whole number.
 */
export function withoutNoise(value: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value)) return value
  const rounded = value.toPrecision(15)
  const [mantissa = ''] = rounded.split('e')
  // Noise is in the last digits of 17, so that a zero comes before it.
  return mantissa.endsWith('0') ? Number(rounded) : value
}

/** A sum of decimals as people add them. */
export const addDecimals = (one: number, other: number): number => withoutNoise(one + other)

const shownDigits = 15

/**
 * A number as it is shown and written as text: with at most 15 significant digits, as in spreadsheets, so that 0.1 + 0.2 is 0.3.
 * Whole numbers have all their digits, as they may be codes.
 */
export const shownNumber = (value: number): number =>
  Number.isFinite(value) && !Number.isInteger(value) ? Number(value.toPrecision(shownDigits)) : value
