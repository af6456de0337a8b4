import { RE2JS, RE2JSException, RE2JSSyntaxException, RE2Set } from 're2js'
import { BoundedMap } from '#platform/memory/bounded-map.ts'

// The engine never backtracks, so the maximum cost of a match is known in advance: characters times instructions of the
// expression. A match that would cost too much counts as no match, so it grants nothing.
const longestValue = 1000
const mostSteps = 100_000
// Without large repetition counts, a condition of 2,000 characters compiles to fewer.
const mostInstructions = 2500

const maxCachedPatterns = 200
/** Memory for the automaton states that an expression caches while matching. */
const maxStateCacheBytes = 256 * 1024

type Pattern = { set: RE2Set; instructions: number }
const patterns = new BoundedMap<string, Pattern | { problem: string }>(maxCachedPatterns)

/** Whether the expression matches somewhere in each of the values, ignoring letter case. */
export function matchesPattern(text: string, values: readonly string[]): boolean {
  const pattern = cachedPattern(text)
  if ('problem' in pattern || values.some(({ length }) => length > longestValue)) return false
  if (stepsOf(pattern, values) > mostSteps) return false
  return values.every((value) => pattern.set.match(value).length > 0)
}

/** Describes what is wrong with a regular expression for its author; null when it can be used. */
export function patternProblem(text: string): string | null {
  const pattern = cachedPattern(text)
  return 'problem' in pattern ? pattern.problem : null
}

function stepsOf({ instructions }: Pattern, values: readonly string[]): number {
  // The end of a value costs a step, as a character does.
  return values.reduce((steps, { length }) => steps + instructions * (length + 1), 0)
}

function cachedPattern(text: string): Pattern | { problem: string } {
  const known = patterns.get(text)
  if (known !== undefined) return known
  const pattern = compile(text)
  patterns.set(text, pattern)
  return pattern
}

function compile(text: string): Pattern | { problem: string } {
  try {
    const instructions = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE).programSize()
    if (instructions > mostInstructions) return { problem: 'The expression is too large. Use fewer repetitions.' }
    // A set of one, since only sets take a memory limit.
    const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, maxStateCacheBytes)
    set.add(text)
    set.compile()
    return { set, instructions }
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: problemOf(error) }
    throw error
  }
}

/** Syntax of other engines that this one does not support, by its first characters. */
const unsupportedForms: [RegExp, string][] = [
  [/^\(\?<?[=!]/, 'Lookahead and lookbehind are not supported'],
  [/^\\[1-9k]|^\(\?P=/, 'Backreferences are not supported'],
  [/^\(\?>|^[*+?}]\+$/, 'Possessive quantifiers are not supported'],
]

function problemOf(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return error.message
  const { error: found, input } = error
  const [, problem] = unsupportedForms.find(([form]) => form.test(input ?? '')) ?? []
  const sentence = problem ?? found.charAt(0).toUpperCase() + found.slice(1)
  // The engine prefixes the expression with the flag that ignores case.
  return input === null ? `${sentence}.` : `${sentence}: ${input.replace(/^\(\?i\)/, '')}`
}
