import { RE2JS, RE2JSException, RE2JSSyntaxException, RE2Set } from 're2js'

// The engine never goes back in a value, so the most that a match can cost is known before: each character looked at by
// each instruction of the expression. What would cost too much counts as no match: nothing is granted by it.
const longestValue = 1000
const mostSteps = 100_000
// More than any expression has that repeats nothing many times: a condition has 2,000 characters.
const mostInstructions = 2500

const rememberedPatterns = 200
/** What an expression may keep of the values that it has seen. */
const learnedBytes = 256 * 1024

type Pattern = { set: RE2Set; instructions: number }
const patterns = new Map<string, Pattern | { problem: string }>()

/** Whether one of the values matches, in whatever letter case; the expression may match anywhere in it. */
export function matchesPattern(text: string, values: readonly string[]): boolean {
  const pattern = remembered(text)
  const judged = values.filter((value) => value.length <= longestValue)
  if ('problem' in pattern || stepsOf(pattern, judged) > mostSteps) return false
  return judged.some((value) => pattern.set.match(value).length > 0)
}

/** Describes what is wrong with a regular expression for its author; null when it can be used. */
export function patternProblem(text: string): string | null {
  const pattern = remembered(text)
  return 'problem' in pattern ? pattern.problem : null
}

function stepsOf({ instructions }: Pattern, values: readonly string[]): number {
  // The end of a value is looked at like a character.
  return values.reduce((steps, { length }) => steps + instructions * (length + 1), 0)
}

function remembered(text: string): Pattern | { problem: string } {
  const known = patterns.get(text)
  if (known !== undefined) return known
  const [oldest] = patterns.keys()
  if (oldest !== undefined && patterns.size >= rememberedPatterns) patterns.delete(oldest)
  const pattern = compile(text)
  patterns.set(text, pattern)
  return pattern
}

function compile(text: string): Pattern | { problem: string } {
  try {
    const instructions = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE).programSize()
    if (instructions > mostInstructions) return { problem: 'It is too large: repeat less.' }
    // A set of one, since only sets can be told how much they may keep.
    const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, learnedBytes)
    set.add(text)
    set.compile()
    return { set, instructions }
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: problemOf(error) }
    throw error
  }
}

/** What other engines know and this one cannot, by how it begins. */
const unknownForms: [RegExp, string][] = [
  [/^\(\?<?[=!]/, 'Looking ahead or behind is not possible'],
  [/^\\[1-9k]|^\(\?P=/, 'Referring back to a group is not possible'],
  [/^\(\?>|^[*+?}]\+$/, 'Possessive repetition is not possible'],
]

function problemOf(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return error.message
  const { error: found, input } = error
  const [, problem] = unknownForms.find(([form]) => form.test(input ?? '')) ?? []
  const sentence = problem ?? found.charAt(0).toUpperCase() + found.slice(1)
  // The engine writes the flag for any letter case before the expression.
  return input === null ? `${sentence}.` : `${sentence}: ${input.replace(/^\(\?i\)/, '')}`
}
