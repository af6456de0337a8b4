type Field = Intl.DateTimeFormatPartTypes

/** Letters of a pattern: the part of a date, and its forms by how often the letter is repeated. */
const letters: Record<string, { field: Field; styles: Intl.DateTimeFormatOptions[] }> = {
  y: { field: 'year', styles: [{ year: 'numeric' }, { year: '2-digit' }, { year: 'numeric' }] },
  M: {
    field: 'month',
    styles: [{ month: 'numeric' }, { month: '2-digit' }, { month: 'short' }, { month: 'long' }, { month: 'narrow' }],
  },
  d: { field: 'day', styles: [{ day: 'numeric' }, { day: '2-digit' }] },
  E: {
    field: 'weekday',
    styles: [
      { weekday: 'short' },
      { weekday: 'short' },
      { weekday: 'short' },
      { weekday: 'long' },
      { weekday: 'narrow' },
    ],
  },
  H: {
    field: 'hour',
    styles: [
      { hour: 'numeric', hourCycle: 'h23' },
      { hour: '2-digit', hourCycle: 'h23' },
    ],
  },
  h: {
    field: 'hour',
    styles: [
      { hour: 'numeric', hourCycle: 'h12' },
      { hour: '2-digit', hourCycle: 'h12' },
    ],
  },
  m: { field: 'minute', styles: [{ minute: 'numeric' }, { minute: '2-digit' }] },
  s: { field: 'second', styles: [{ second: 'numeric' }, { second: '2-digit' }] },
  a: { field: 'dayPeriod', styles: [{ hour: 'numeric', hourCycle: 'h12' }] },
}

// A quote that is not closed quotes the rest.
const token = /'([^']*)'?|([a-zA-Z])\2*|[^a-zA-Z']+/g

/**
 * Writes moments, in milliseconds, in a pattern of the ICU such as `MMM d, yyyy`, as the time zone has them. Null for a
 * pattern with letters of another meaning. Text in single quotes is meant as it is.
 */
export function datePattern(pattern: string, timeZone: string | undefined): ((moment: number) => string) | null {
  const tokens = [...pattern.matchAll(token)]
  if (!tokens.some(([, , letter]) => letter !== undefined && letter in letters)) return null
  const writers = tokens.map(([text, quoted, letter]) => {
    if (quoted !== undefined) return () => quoted || "'"
    if (letter === undefined) return () => text
    return partWriter(letter, text.length, timeZone)
  })
  const known = writers.filter((write) => write !== null)
  if (known.length < writers.length) return null
  return (moment) => known.map((write) => write(moment)).join('')
}

/** Formats of date axes by name, as in Google's charts. */
const namedPatterns: Record<string, string> = { date: 'M/d/yyyy', short: 'M/d/yy', long: 'MMMM d, yyyy' }

/** The pattern of a format of a date axis. */
export const datePatternOf = (format: string): string =>
  Object.hasOwn(namedPatterns, format) ? (namedPatterns[format] ?? format) : format

function partWriter(letter: string, length: number, timeZone: string | undefined): ((moment: number) => string) | null {
  const { field, styles = [] } = letters[letter] ?? {}
  const style = styles[Math.min(length, styles.length) - 1]
  if (!field || !style) return null
  const format = new Intl.DateTimeFormat('en-US', { ...style, timeZone })
  return (moment) => {
    const value = format.formatToParts(moment).find(({ type }) => type === field)?.value ?? ''
    // Intl pads minutes and seconds only beside hours.
    return 'minute' in style || 'second' in style ? value.padStart(Math.min(length, 2), '0') : value
  }
}
