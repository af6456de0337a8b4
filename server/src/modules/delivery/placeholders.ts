import type { placeholders } from '@portico/contract/notifications'

type Name = (typeof placeholders)[number]

/** Values of the placeholders. Numbers stay numbers in JSON. */
export type PlaceholderValues = Record<Name, string | number>

const pattern = /\{\{\s*(\w+)\s*\}\}/g

type Values = Readonly<Record<string, string | number>>

/** Replaces placeholders such as `{{name}}` by their values; unknown names stay unchanged. */
export function fillText(text: string, values: Values, write: (value: string) => string = (value) => value): string {
  return text.replaceAll(pattern, (whole, name: string) =>
    Object.hasOwn(values, name) ? write(String(values[name])) : whole,
  )
}

/** Fills HTML; values are escaped. */
export function fillHtml(text: string, values: Values): string {
  return fillText(text, values, (value) => value.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`))
}

/**
 * Fills every text of a JSON value. A text that is exactly one placeholder becomes its value, which may be a number.
 */
export function fillJson(value: unknown, values: PlaceholderValues): unknown {
  if (typeof value === 'string') {
    const [, only = ''] = /^\{\{\s*(\w+)\s*\}\}$/.exec(value) ?? []
    return Object.hasOwn(values, only) ? values[only as Name] : fillText(value, values)
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fillJson(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, values)]))
}
