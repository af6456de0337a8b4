import { isSameName } from '../names.ts'
import { type Condition, eventPrefix, isObject, type Stage, type Term } from './pipeline.ts'

// How conditions are taken apart into terms that must all hold, and joined again.

export const fieldTerm = (field: string, test: unknown): Term => ({ kind: 'field', field, test })

/** One term that says all of several. */
export const all = (terms: readonly Term[]): Term =>
  terms.length === 1 && terms[0] ? terms[0] : { kind: 'and', of: terms.map((term) => [term]) }

/** One term that says any of several. */
export const anyOf = (terms: readonly Term[]): Term =>
  terms.length === 1 && terms[0] ? terms[0] : { kind: 'or', of: terms.map((term) => [term]) }

/** A stage that requires all of the terms; none without terms. */
export const matching = (terms: readonly Term[]): Stage[] =>
  terms.length === 0 ? [] : [{ kind: 'match', condition: [all(terms)] }]

/** The terms of a condition, with those within its `and`s. */
export const flatten = (condition: Condition): Term[] =>
  condition.flatMap((term) => (term.kind === 'and' ? term.of.flatMap(flatten) : [term]))

/** The fields that a condition compares, each once, without those of single events of a contact. */
export const fieldsIn = (condition: Condition): string[] => [
  ...new Set(
    condition.flatMap((term): string[] => {
      switch (term.kind) {
        case 'and':
        case 'or':
        case 'nor':
          return term.of.flatMap(fieldsIn)
        case 'field':
          return [term.field]
        case 'event':
        case 'unread':
        case 'words':
          return []
      }
    }),
  ),
]

export const isSameField = (one: string, other: string | undefined): boolean =>
  other !== undefined && isSameName(one, other)

/** The name of a field of events within a condition on one event, and of any other field. */
export const plainName = (field: string): string =>
  field.startsWith(eventPrefix) ? field.slice(eventPrefix.length) : field

const orders = ['$gt', '$gte', '$lt', '$lte']

/** The term without comparisons of this date by order; none if nothing is left of it. The same term if it has none. */
export function withoutOrders(term: Term, field: string): Term[] {
  if (term.kind !== 'field' || !isSameField(term.field, field) || !isObject(term.test)) return [term]
  const tests = Object.entries(term.test)
  const left = tests.filter(([operator]) => !orders.includes(operator))
  if (left.length === 0) return []
  return left.length === tests.length ? [term] : [fieldTerm(term.field, Object.fromEntries(left))]
}

/** Whether a term names fields of events only. A term on both is taken as one on contacts. */
export function isAboutEvents(term: Term): boolean {
  switch (term.kind) {
    case 'and':
    case 'or':
    case 'nor':
      return term.of.every((condition) => condition.every(isAboutEvents))
    case 'field':
      return term.field.startsWith(eventPrefix)
    case 'event':
    case 'words':
    case 'unread':
      return false
  }
}

/** A term on an unwound event, as one on an event of a contact. */
export const withoutPrefix = (term: Term): Term => renamed(term, plainName)

/** The way back. */
export const withPrefix = (term: Term): Term => renamed(term, (field) => `${eventPrefix}${field}`)

function renamed(term: Term, rename: (field: string) => string): Term {
  switch (term.kind) {
    case 'and':
    case 'or':
    case 'nor':
      return { ...term, of: term.of.map((condition) => condition.map((each) => renamed(each, rename))) }
    case 'field':
      return fieldTerm(rename(term.field), term.test)
    case 'event':
    case 'words':
    case 'unread':
      return term
  }
}
