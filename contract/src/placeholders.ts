/** Texts in the form of a placeholder, with known or unknown names. */
const written = /\{\{([^{}]*)\}\}/g

/** Returns the names of the placeholders in a text. */
// The pattern excludes the blanks: it would try every way to distribute them.
export const placeholdersIn = (text: string): string[] =>
  Array.from(text.matchAll(written), ([, name = '']) => name.trim())

/** Returns the problem of a text whose placeholders are not all `known`; null if they are. */
export function placeholderProblem(text: string, known: readonly string[]): string | null {
  const unknown = placeholdersIn(text).find((name) => !known.includes(name))
  if (unknown === undefined) return null
  const shown = `{{${unknown}}}`
  if (known.length === 0) return `${shown} cannot be used here.`
  return `${shown} is unknown. Use ${inWords(known.map((name) => `{{${name}}}`))}.`
}

const inWords = (items: readonly string[]): string =>
  items.length === 1 ? String(items[0]) : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`

/** Returns all texts in a JSON value. Placeholders in keys are not filled. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
