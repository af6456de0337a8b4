const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats bytes in the largest unit of which there is at least 1, with one decimal: 1.5 kB, 20 GB. */
export function byteSizeInWords(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)))
  return `${(bytes / 1000 ** power).toLocaleString('en-US', { maximumFractionDigits: 1 })} ${units[power]}`
}

/** Reads `500 MB`, `20GB` or `1.5TB`; null for any other text, and for less than a byte. */
export function readByteSize(text: string): number | null {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([kmgt]?b)$/i.exec(text) ?? []
  const power = units.findIndex((each) => each.toLowerCase() === unit.toLowerCase())
  if (number === undefined || power < 0) return null
  const bytes = Math.round(Number(number) * 1000 ** power)
  return bytes >= 1 ? bytes : null
}
