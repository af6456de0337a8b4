/** Texts in the form of a placeholder, with known and unknown names. */
const written = /\{\{([^{}]*)\}\}/g

/** The names of the placeholders in a text. */
// The blanks are no part of the pattern, which would then try every way to share them out.
export const placeholdersIn = (text: string): string[] =>
  Array.from(text.matchAll(written), ([, name = '']) => name.trim())

/** The problem of a text whose placeholders are not all `known`; null if they are. */
export function placeholderProblem(text: string, known: readonly string[]): string | null {
  const unknown = placeholdersIn(text).find((name) => !known.includes(name))
  if (unknown === undefined) return null
  const shown = `{{${unknown}}}`
  if (known.length === 0) return `${shown} cannot be used here.`
  return `${shown} is unknown. Use ${inWords(known.map((name) => `{{${name}}}`))}.`
}

const inWords = (items: readonly string[]): string =>
  items.length === 1 ? String(items[0]) : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`

/** All texts in a JSON value. Keys are not filled. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
