import type { TextRange } from './json-scan.ts'

/** A problem at its place in the text. */
export type JsonProblem = TextRange & { message: string }

/** `value`: the JSON that the name's value begins with, such as `{}` or `""`; empty if there is none. */
export type NameSuggestion = { name: string; info?: string; value: string }

/** Names that the object at a path may have, and values, as JSON, that are valid at a path. */
export type JsonSuggestions = {
  names: (path: readonly string[]) => NameSuggestion[]
  values: (path: readonly string[]) => string[]
}
