import { formatNumber } from '#lib/formats.ts'

const million = 1_000_000

/**
 * A number in short, with one decimal: K above 1,000, M above 1,000,000 and T above a million million, by its size without its
 * sign. A number that rounds to 1000.0K is 1.0M. One below 1 has two digits, so that 0.04 is not 0.
 */
export function abbreviate(value: number): string {
  const size = Math.abs(value)
  if (size < 1) return formatNumber(Number(value.toPrecision(2)))
  if (size <= 1000) return formatNumber(Number(value.toFixed(1)))
  const short = shorten(size)
  return value < 0 ? `-${short}` : short
}

function shorten(size: number): string {
  const [thousands, millions] = [oneDecimal(size / 1000), oneDecimal(size / million)]
  if (size <= million && Number(thousands) < 1000) return `${thousands}K`
  return Number(millions) < million ? `${millions}M` : `${oneDecimal(size / million / million)}T`
}

/** Rounds halves up, as people do: in binary 1.65 is a little less. */
const oneDecimal = (size: number): string => (Math.round(Number((size * 10).toPrecision(12))) / 10).toFixed(1)
