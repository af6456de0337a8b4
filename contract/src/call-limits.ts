import { placeholdersIn } from './placeholders.ts'

/** Limits of a call, which bound the work for each of its values and characters. */
export const callLimits = {
  headers: 50,
  headerCharacters: 16_000,
  /** Texts, numbers, objects and lists of a body. */
  values: 1000,
  levels: 20,
  nameCharacters: 200,
  /** Names and texts of a body together. */
  bodyCharacters: 100_000,
  /** Each is filled with up to a few hundred characters. */
  placeholders: 100,
} as const

type Call = { endpoint: string; headers: Record<string, string | null>; body: Record<string, unknown> | null }
type Problem = { path: string[]; message: string }

const format = (count: number): string => count.toLocaleString('en-US')

/** Returns the problems of a call that exceeds its limits, by field. Runs before anything else reads the call. */
export function callLimitProblems({ endpoint, headers, body }: Call): Problem[] {
  const problems = { headers: headersProblem(headers), body: bodyProblem(body), endpoint: fillsProblem([endpoint]) }
  return Object.entries(problems).flatMap(([field, message]) => (message === null ? [] : [{ path: [field], message }]))
}

function headersProblem(headers: Call['headers']): string | null {
  const entries = Object.entries(headers)
  if (entries.length > callLimits.headers) return `Use at most ${callLimits.headers} headers.`
  if (entries.some(([name]) => name.length > callLimits.nameCharacters)) return nameTooLong
  const size = entries.reduce((sum, [name, value]) => sum + name.length + (value?.length ?? 0), 0)
  if (size > callLimits.headerCharacters) {
    return `Use at most ${format(callLimits.headerCharacters)} characters in all headers together.`
  }
  return fillsProblem(entries.map(([, value]) => value ?? ''))
}

const nameTooLong = `Use names of at most ${callLimits.nameCharacters} characters.`

function bodyProblem(body: Call['body']): string | null {
  // A list instead of recursion; stops once a limit is exceeded.
  const open: { value: unknown; level: number }[] = [{ value: body, level: 0 }]
  const texts: string[] = []
  let [values, characters] = [0, 0]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level } = next
    if (typeof value === 'string') {
      texts.push(value)
      characters += value.length
    }
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value)
      values += entries.length
      if (values > callLimits.values) return `Use at most ${format(callLimits.values)} values.`
      if (entries.length > 0 && level === callLimits.levels) {
        return `Nest values at most ${callLimits.levels} levels deep.`
      }
      for (const [name, inner] of entries) {
        if (name.length > callLimits.nameCharacters) return nameTooLong
        if (!Array.isArray(value)) characters += name.length
        open.push({ value: inner, level: level + 1 })
      }
    }
    if (characters > callLimits.bodyCharacters) {
      return `Use at most ${format(callLimits.bodyCharacters)} characters in names and texts together.`
    }
  }
  return fillsProblem(texts)
}

/** The mark of a secret is a placeholder only in form. */
function fillsProblem(texts: readonly string[]): string | null {
  let count = 0
  for (const text of texts) count += placeholdersIn(text).filter((name) => name !== 'secret').length
  return count > callLimits.placeholders ? `Use at most ${callLimits.placeholders} placeholders.` : null
}
