import { filterLimits } from '@portico/contract/filter'
import { sql } from 'kysely'
import { type FilterField, invalidFilter, type Sql } from './filter-field.ts'

/**
 * Condition for `{$regex, $options}`. What is but a text, perhaps tied to begin or end, becomes LIKE: that is faster
 * and can use an index. Everything else is left to PostgreSQL, whose expressions differ from JavaScript's a little:
 * `.` matches line breaks too, `\w` and `\d` know all scripts, and groups have no names.
 */
export function compilePattern(field: FilterField, pattern: unknown, options: unknown): Sql {
  if (field.type !== 'string') throw invalidFilter(`"$regex" searches text; "${field.name}" holds none.`)
  if (typeof pattern !== 'string') throw invalidFilter(`"$regex" of "${field.name}" needs a text.`)
  if (options !== undefined && options !== '' && options !== 'i') {
    throw invalidFilter('"$options" may be "i", to ignore the case of letters.')
  }
  checkPattern(field, pattern)
  if (options === 'i') return sql`${field.sql} ~* ${toPostgres(pattern)}`
  const literal = readLiteral(pattern)
  return literal ? sql`${field.sql} LIKE ${toLike(literal)}` : sql`${field.sql} ~ ${toPostgres(pattern)}`
}

/** Refuses what is no expression. It is never run in JavaScript: only PostgreSQL can be stopped in the middle. */
function checkPattern(field: FilterField, pattern: string): void {
  const refused = (why: string) => invalidFilter(`The expression for "${field.name}" is not valid: ${why}`)
  if (pattern.length > filterLimits.patternLength) {
    throw refused(`it is longer than ${filterLimits.patternLength} characters.`)
  }
  if (pattern.includes('\0')) throw refused('it holds the character zero.')
  try {
    void new RegExp(pattern)
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'it cannot be read.')
  }
}

type Literal = { text: string; isStart: boolean; isEnd: boolean }

/** The text that a pattern asks for, when it asks for nothing but a text; else null. */
function readLiteral(pattern: string): Literal | null {
  const isStart = pattern.startsWith('^')
  let text = ''
  for (let at = isStart ? 1 : 0; at < pattern.length; at++) {
    const char = pattern.charAt(at)
    if (char === '$' && at === pattern.length - 1) return { text, isStart, isEnd: true }
    if (char === '\\') {
      const escaped = pattern.charAt(++at)
      // Before a letter or digit the backslash has a meaning of its own: \d, \b, \1 …
      if (/[\p{L}\p{N}_]/u.test(escaped)) return null
      text += escaped
    } else if ('^$.*+?()[]{}|'.includes(char)) return null
    else text += char
  }
  return { text, isStart, isEnd: false }
}

function toLike({ text, isStart, isEnd }: Literal): string {
  const escaped = text.replace(/[\\%_]/g, '\\$&')
  return `${isStart ? '' : '%'}${escaped}${isEnd ? '' : '%'}`
}

/**
 * Word boundaries are `\y` and `\Y` in PostgreSQL, where `\b` is a backspace and `\B` a backslash; and its `\x` takes
 * any number of digits where JavaScript's takes two.
 */
function toPostgres(pattern: string): string {
  return pattern.replace(/\\(?:x([0-9a-f]{2})|[\s\S])/gi, (escape, hex: string | undefined) =>
    hex === undefined ? ({ '\\b': '\\y', '\\B': '\\Y' }[escape] ?? escape) : `\\u00${hex}`,
  )
}
