/** Objects and lists within each other. Far more than any call needs, and little enough for every function that recurses. */
const maxDepth = 200

/** Parses JSON that a client has sent. Throws for text that is no JSON, and for a value with a `valueProblem`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const problem = valueProblem(value)
  if (problem !== null) throw new SyntaxError(problem)
  return value
}

/** The value of a JSON text; undefined for a text that is none, or that `parseJson` refuses. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** JSON in the one way in which it is written here: names once, without spaces. Other texts as they are. */
export function canonicalJson(text: string): string {
  const value = jsonIn(text)
  return value === undefined ? text : JSON.stringify(value)
}

/**
 * The reason why no part of the portal can work with a value, in words for users; null for others: it is nested too
 * deeply, or has half of a surrogate pair, which neither PostgreSQL nor UTF-8 can hold.
 */
export function valueProblem(value: unknown): string | null {
  // A list instead of recursion, which such a value could overflow.
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value === 'string' && !next.value.isWellFormed()) return brokenText
    if (typeof next.value !== 'object' || next.value === null) continue
    if (next.depth === maxDepth) return `Nest values at most ${maxDepth} levels deep.`
    for (const [key, inner] of Object.entries(next.value)) {
      if (!key.isWellFormed()) return brokenText
      open.push({ value: inner, depth: next.depth + 1 })
    }
  }
  return null
}

const brokenText = 'Text must not contain half of a surrogate pair.'
