/**
 * Finds words in texts, in time that depends on the length of the text only, not on the words (Aho and Corasick, 1975).
 * Returns for each position of a text the length of the longest word that ends there, 0 if there is none.
 */
export function wordFinder(words: readonly string[]): (text: string) => Int32Array {
  const { childOf, parents, codes, longest, levels } = treeOf(words)
  // The node to continue at after a mismatch: the longest suffix of this prefix that is itself a prefix of a word.
  const otherwise = new Int32Array(parents.length)
  const next = (from: number, code: number): number => {
    let node = from
    for (let child = childOf(node, code); ; child = childOf(node, code)) {
      if (child !== undefined) return child
      if (node === 0) return 0
      node = otherwise[node] ?? 0
    }
  }
  for (const level of levels) {
    for (const node of level) {
      const parent = parents[node] ?? 0
      otherwise[node] = parent === 0 ? 0 : next(otherwise[parent] ?? 0, codes[node] ?? 0)
      longest[node] ||= longest[otherwise[node]] ?? 0
    }
  }
  return (text) => {
    const lengths = new Int32Array(text.length)
    let node = 0
    for (let at = 0; at < text.length; at++) {
      node = next(node, text.charCodeAt(at))
      lengths[at] = longest[node] ?? 0
    }
    return lengths
  }
}

/** The prefixes of all words, each a node below the prefix that is one character shorter; 0 is the empty prefix. */
function treeOf(words: readonly string[]) {
  const children = new Map<number, number>()
  const childOf = (node: number, code: number): number | undefined => children.get(node * 65_536 + code)
  const [parents, codes, longest] = [[0], [0], [0]]
  const levels: number[][] = []
  for (const word of words) {
    let node = 0
    for (let at = 0; at < word.length; at++) {
      const code = word.charCodeAt(at)
      let child = childOf(node, code)
      if (child === undefined) {
        child = parents.push(node) - 1
        codes.push(code)
        longest.push(0)
        children.set(node * 65_536 + code, child)
        ;(levels[at] ??= []).push(child)
      }
      node = child
    }
    longest[node] = word.length
  }
  return { childOf, parents, codes, longest, levels }
}
