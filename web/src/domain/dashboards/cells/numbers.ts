import { formatNumber } from '#lib/formats.ts'

/**
 * A number in short: K above 1,000, M above 1,000,000, with one decimal (specification 4 §9). A number that rounds to
 * 1000.0K is 1.0M.
 */
export function abbreviated(value: number): string {
  const size = Math.abs(value)
  if (size <= 1000) return formatNumber(Number(value.toFixed(1)))
  if (size <= 1_000_000 && Number((size / 1000).toFixed(1)) < 1000) return `${(value / 1000).toFixed(1)}K`
  return `${(value / 1_000_000).toFixed(1)}M`
}
