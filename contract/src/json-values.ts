/** Maximum nesting of objects and lists. Far more than any call needs, and safe for every recursive function. */
const maxDepth = 200

/** Parses JSON from a client. Throws if the text is not JSON, or if the value has a `valueProblem`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const problem = valueProblem(value)
  if (problem !== null) throw new SyntaxError(problem)
  return value
}

/** Returns the value of a JSON text; undefined for other texts, and for those that `parseJson` refuses. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Returns JSON in its one canonical form: each name once, without spaces. Other texts are returned unchanged. */
export function canonicalJson(text: string): string {
  const value = jsonIn(text)
  return value === undefined ? text : JSON.stringify(value)
}

/**
 * Returns the reason why no part of the portal can handle a value, in words for users; null if there is none. A value
 * is refused if it is nested too deeply, or contains half of a surrogate pair, which neither PostgreSQL nor UTF-8 can
 * hold.
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
