import { filterLimits } from '@portico/contract/filter'
import { composed } from '@portico/domain/unicode'
import { sql } from 'kysely'
import { type FilterField, invalidFilter, type Sql } from './filter-field.ts'
import { isFoundByTrigrams } from './trigram-patterns.ts'

/**
 * Condition for `{$regex, $options}`. A literal text, anchored or not, becomes LIKE, which is faster and can use an
 * index. Other patterns are run by PostgreSQL, whose syntax differs from JavaScript's: `.` also matches line breaks,
 * `\w` and `\d` cover all scripts, and groups have no names.
 */
export function compilePattern(field: FilterField, written: unknown, options: unknown): Sql {
  if (field.type !== 'string') throw invalidFilter(`"$regex" needs text; "${field.name}" is not.`)
  if (typeof written !== 'string') throw invalidFilter(`"$regex" of "${field.name}" needs a text.`)
  if (options !== undefined && options !== '' && options !== 'i') {
    throw invalidFilter('"$options" must be "i", to ignore case.')
  }
  checkPattern(field, written)
  // In the form in which texts are stored (ADR 0110).
  const pattern = composed(written)
  const literal = options === 'i' ? null : readLiteral(pattern)
  if (literal) return sql`${field.sql} LIKE ${toLike(literal)}`
  // As an expression of its own, which no index is of.
  const text = isFoundByTrigrams(pattern) ? field.sql : sql`(${field.sql} || '')`
  return sql`${text} ${options === 'i' ? sql`~*` : sql`~`} ${toPostgres(pattern)}`
}

/** Rejects invalid patterns. Patterns never run in JavaScript: only PostgreSQL can be interrupted. */
function checkPattern(field: FilterField, pattern: string): void {
  const refused = (why: string) => invalidFilter(`The expression for "${field.name}" is not valid: ${why}`)
  if (pattern.length > filterLimits.patternLength) {
    throw refused(`it is longer than ${filterLimits.patternLength} characters.`)
  }
  if (writtenOut(pattern) > mostWrittenOut) throw refused('its repetitions are too large. Use smaller numbers.')
  if (pattern.includes('\0')) throw refused('it contains a NUL character.')
  try {
    void new RegExp(pattern)
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'it cannot be read.')
  }
}

// PostgreSQL expands repetitions when it compiles an expression. It takes milliseconds for this length, and fails for
// 40,000.
const mostWrittenOut = 5000

/** Length of the expression with its counted repetitions expanded: 6 for `(ab){3}`. */
function writtenOut(pattern: string): number {
  const groups = [0]
  let last = 0
  for (const [token, least, most] of pattern.matchAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[^]/g)) {
    const before = last
    if (token === '(') {
      groups.push(0)
      continue
    }
    if (token === ')' && groups.length > 1) last = groups.pop() ?? 0
    else last = least === undefined ? 1 : before * Math.max(1, Number(least), Number(most || 0))
    const added = least === undefined ? last : last - before
    groups.push((groups.pop() ?? 0) + added)
  }
  return groups.reduce((sum, size) => sum + size, 0)
}

type Literal = { text: string; isStart: boolean; isEnd: boolean }

/** The text that a literal pattern matches; null for other patterns. */
function readLiteral(pattern: string): Literal | null {
  const isStart = pattern.startsWith('^')
  let text = ''
  for (let at = isStart ? 1 : 0; at < pattern.length; at++) {
    const char = pattern.charAt(at)
    if (char === '$' && at === pattern.length - 1) return { text, isStart, isEnd: true }
    if (char === '\\') {
      const escaped = pattern.charAt(++at)
      // A backslash before a letter or digit is special: \d, \b, \1 …
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
 * Translates a pattern: in PostgreSQL, word boundaries are `\y` and `\Y`, while `\b` is a backspace and `\B` a
 * backslash; and its `\x` takes any number of digits where JavaScript's takes two.
 */
function toPostgres(pattern: string): string {
  return pattern.replace(/\\(?:x([0-9a-f]{2})|[\s\S])/gi, (escape, hex: string | undefined) =>
    hex === undefined ? ({ '\\b': '\\y', '\\B': '\\Y' }[escape] ?? escape) : `\\u00${hex}`,
  )
}
