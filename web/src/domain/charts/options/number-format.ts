type Write = (value: number) => string

const intl = (options: Intl.NumberFormatOptions): Write => {
  const format = new Intl.NumberFormat('en-US', options)
  return (value) => format.format(value)
}

const plain = intl({ maximumFractionDigits: 4 })

/** Formats of axes by name (specification 1 §9), but for dates. */
const named = new Map<string, Write>([
  ['none', intl({ useGrouping: false, maximumFractionDigits: 10 })],
  ['decimal', plain],
  ['scientific', intl({ notation: 'scientific', maximumFractionDigits: 2 })],
  ['currency', intl({ style: 'currency', currency: 'USD', trailingZeroDisplay: 'stripIfInteger' })],
  ['percent', intl({ style: 'percent', maximumFractionDigits: 1 })],
  ['short', intl({ notation: 'compact', maximumFractionDigits: 1 })],
  ['long', intl({ notation: 'compact', compactDisplay: 'long', maximumFractionDigits: 1 })],
])

/**
 * Writes numbers in a format of an axis: a name of the specification, or a pattern such as `$#,##0.00`. Numbers without a format,
 * or with one that is none of numbers, such as one of dates, are written plainly.
 */
export function numberFormat(format: string | undefined): Write {
  if (!format) return plain
  const known = named.get(format)
  if (known) return known
  return numberPattern(format) ?? plain
}

/** Numbers of a pattern of the ICU: `#,##0.00`, `0.##E0`, `#%`, `¤#,##0`, and `;` before that of negative numbers. */
function numberPattern(pattern: string): Write | null {
  const [positive = '', negative] = pattern.split(';')
  const write = halfPattern(positive)
  if (!write) return null
  const below = negative === undefined ? null : halfPattern(negative)
  return (value) => (value < 0 ? (below ? below(-value) : `-${write(-value)}`) : write(value))
}

/** Prefix, digits, decimals, exponent and suffix of a pattern. Each takes all it can, and gives nothing back to the next. */
const parts = [/(?:[^#0,.']|'[^']*')*/y, /[#0,]*/y, /(?:\.[0#]*)?/y, /(?:E0+)?/y, /(?:[^#0']|'[^']*')*/y]

/** The parts of a pattern; null for a text that is none. */
function partsOf(pattern: string): string[] | null {
  let at = 0
  const found = parts.map((part) => {
    part.lastIndex = at
    const [text = ''] = part.exec(pattern) ?? []
    at += text.length
    return text
  })
  return at === pattern.length ? found : null
}

function halfPattern(pattern: string): Write | null {
  const [before = '', digits = '', point = '', exponent = '', after = ''] = partsOf(pattern) ?? []
  const decimals = point.slice(1)
  if (!/[#0]/.test(digits + decimals)) return null
  const factor = /%/.test(before + after) ? 100 : /‰/.test(before + after) ? 1000 : 1
  const write = intl({
    useGrouping: digits.includes(','),
    minimumIntegerDigits: Math.min(Math.max(digits.replaceAll(/[^0]/g, '').length, 1), 21),
    minimumFractionDigits: Math.min(decimals.replaceAll('#', '').length, 20),
    maximumFractionDigits: Math.min(decimals.length, 20),
    ...(exponent !== '' && { notation: 'scientific' }),
  })
  const [prefix, suffix] = [literal(before), literal(after)]
  // A pattern without a 0 before the dot writes .5
  const hasZero = digits.includes('0') || decimals === '' || exponent !== ''
  return (value) => {
    const text = write(value * factor)
    return `${prefix}${hasZero ? text : text.replace(/^0(?=\.)/, '')}${suffix}`
  }
}

/** Text of a pattern: `¤` is the currency, and what stands in quotes is meant as it is. */
const literal = (text: string): string =>
  text.replaceAll('¤', '$').replaceAll(/'([^']*)'/g, (_, quoted: string) => quoted || "'")
