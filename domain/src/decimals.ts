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
