const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

const named: Record<string, Intl.NumberFormat> = {
  none: new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 10 }),
  decimal: plain,
  scientific: new Intl.NumberFormat('en-US', { notation: 'scientific', maximumFractionDigits: 2 }),
  currency: new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }),
  percent: new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 }),
  short: new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }),
  long: new Intl.NumberFormat('en-US', { notation: 'compact', compactDisplay: 'long', maximumFractionDigits: 1 }),
}

/** The digits of a pattern such as `$#,##0.00` or `#%`; null for a text that is none. */
function patternFormat(pattern: string): ((value: number) => string) | null {
  const found = /^([^#0]*)([#,0]*[#0](?:\.([0#]+))?)([^#0]*)$/.exec(pattern)
  if (!found) return null
  const [, before = '', digits = '', decimals = '', after = ''] = found
  const least = decimals.replaceAll('#', '').length
  const format = new Intl.NumberFormat('en-US', {
    useGrouping: digits.includes(','),
    minimumFractionDigits: least,
    maximumFractionDigits: decimals.length,
  })
  const factor = after.includes('%') ? 100 : 1
  return (value) => `${before}${format.format(value * factor)}${after}`
}

/** Numbers as a format of an axis says (specification 1 §9), which is a name or a pattern; plainly without one. */
export function numberFormat(format: string | undefined): (value: number) => string {
  if (format === undefined || format === '') return (value) => plain.format(value)
  if (format === 'date') return (value) => new Date(value).toLocaleDateString('en-US', { timeZone: 'UTC' })
  const known = Object.hasOwn(named, format) ? named[format] : undefined
  if (known) return (value) => known.format(value)
  return patternFormat(format) ?? ((value) => plain.format(value))
}
