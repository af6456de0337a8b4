/** Returns the positions of repeated texts in a list. The time per text does not grow with the list. */
export function repeatedPositions(texts: readonly string[]): number[] {
  const seen = new Set<string>()
  return texts.flatMap((text, index) => {
    const isRepeated = seen.has(text)
    seen.add(text)
    return isRepeated ? [index] : []
  })
}
