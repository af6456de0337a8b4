/**
 * Removes the noise of binary arithmetic from a computed number: 0.1 + 0.2 is 0.3. A number that needs all its digits,
 * such as 1 / 3, is unchanged, and so is a whole number.
 */
export function withoutNoise(value: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value)) return value
  const rounded = value.toPrecision(15)
  const [mantissa = ''] = rounded.split('e')
  // Noise affects the last of 17 digits, and follows a zero.
  return mantissa.endsWith('0') ? Number(rounded) : value
}

/** Adds decimals as people do. */
export const addDecimals = (one: number, other: number): number => withoutNoise(one + other)

const shownDigits = 15

/**
 * Returns a number as it is shown and written as text: with at most 15 significant digits, as in spreadsheets, which
 * makes 0.1 + 0.2 0.3. Whole numbers keep all their digits, as they may be codes.
 */
export const shownNumber = (value: number): number =>
  Number.isFinite(value) && !Number.isInteger(value) ? Number(value.toPrecision(shownDigits)) : value
