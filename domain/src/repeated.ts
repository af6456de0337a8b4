/** Positions of the texts that are in a list before. It takes no longer for each text of a longer list. */
export function repeatedPositions(texts: readonly string[]): number[] {
  const seen = new Set<string>()
  return texts.flatMap((text, index) => {
    const isRepeated = seen.has(text)
    seen.add(text)
    return isRepeated ? [index] : []
  })
}
