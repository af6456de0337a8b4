/** Longer texts are computed each time, to keep what users send from filling the memory. */
const longestText = 1000

/** Returns a function with the same results that caches the last `most` of them. For pure functions of one text. */
export function memoized<Result>(most: number, compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, { result: Result }>()
  return (text) => {
    const found = known.get(text)
    if (found) return found.result
    const result = compute(text)
    if (text.length > longestText) return result
    if (known.size >= most) known.delete(known.keys().next().value ?? '')
    known.set(text, { result })
    return result
  }
}
