/**
 * Removes the given characters from both ends of a text, in linear time: a regular expression such as `/ +$/` starts at
 * each blank, and its time grows with the square of their number.
 * @param signs characters of one code unit each
 */
export function trimmed(text: string, signs: string): string {
  let start = 0
  while (start < text.length && signs.includes(text.charAt(start))) start += 1
  return trimmedEnd(text.slice(start), signs)
}

/** Like `trimmed`, but only at the end. */
export function trimmedEnd(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
