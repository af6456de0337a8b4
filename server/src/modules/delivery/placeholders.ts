import type { placeholders } from '@portico/contract/notifications'

type Name = (typeof placeholders)[number]

/** Values of the placeholders. Numbers stay numbers in JSON. */
export type PlaceholderValues = Record<Name, string | number>

const pattern = /\{\{\s*(\w+)\s*\}\}/g

/** Puts values in the place of `{{name}}` and so on; a name that is none stays as it is. */
export function fillText(
  text: string,
  values: PlaceholderValues,
  write: (value: string) => string = (value) => value,
): string {
  return text.replaceAll(pattern, (whole, name: string) =>
    Object.hasOwn(values, name) ? write(String(values[name as Name])) : whole,
  )
}

/** The same in HTML, where a value is text and never markup. */
export function fillHtml(text: string, values: PlaceholderValues): string {
  return fillText(text, values, (value) => value.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`))
}

/** The same in every text of a JSON value. A text that is one placeholder and nothing else becomes its value, a number too. */
export function fillJson(value: unknown, values: PlaceholderValues): unknown {
  if (typeof value === 'string') {
    const [, only = ''] = /^\{\{\s*(\w+)\s*\}\}$/.exec(value) ?? []
    return Object.hasOwn(values, only) ? values[only as Name] : fillText(value, values)
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fillJson(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, values)]))
}
