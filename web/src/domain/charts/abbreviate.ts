import { formatNumber } from '#lib/formats.ts'

/**
 * A number in short, with one decimal: K above 1,000 and M above 1,000,000, by its size without its sign. A number that rounds to
 * 1000.0K is 1.0M.
 */
export function abbreviate(value: number): string {
  const size = Math.abs(value)
  if (size <= 1000) return formatNumber(Number(value.toFixed(1)))
  const thousands = (size / 1000).toFixed(1)
  const isMillions = size > 1_000_000 || Number(thousands) >= 1000
  const short = isMillions ? `${(size / 1_000_000).toFixed(1)}M` : `${thousands}K`
  return value < 0 ? `-${short}` : short
}
