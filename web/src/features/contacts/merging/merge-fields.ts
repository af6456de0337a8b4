import type { ContactMerge, MergeChoice } from '@portico/contract/contact-edits'
import type { Field, Offer } from '@portico/contract/contacts'

type Value = string | number | boolean | null

/** A field with the values of the contact that stays and of the other one. */
export type BothValues = { field: Field; kept: Value; other: Value }
export type Choices = Readonly<Record<string, MergeChoice>>

/** The contract leaves a contact's fields open. */
const valueOf = (value: unknown): Value =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

const isEmpty = (value: Value): boolean => value === null || value === ''

/** The fields in which two contacts differ, and those that have the same value; others are empty in both. */
export function compareContacts(kept: Offer, other: Offer, fields: readonly Field[]) {
  const both = fields.map((field): BothValues => {
    return { field, kept: valueOf(kept[field.name]), other: valueOf(other[field.name]) }
  })
  const filled = both.filter((each) => !isEmpty(each.kept) || !isEmpty(each.other))
  return {
    differing: filled.filter((each) => each.kept !== each.other),
    equal: filled.filter((each) => each.kept === each.other),
  }
}

/** By default, the contact that stays keeps its value unless it has none. */
export const winnerOf = ({ field, kept }: BothValues, choices: Choices): MergeChoice =>
  choices[field.name] ?? (isEmpty(kept) ? 'other' : 'kept')

export function mergeOf(other: string, differing: readonly BothValues[], choices: Choices): ContactMerge {
  const fields = differing.map((each) => {
    const wins = winnerOf(each, choices)
    return [each.field.name, { kept: each.kept, other: each.other, wins }] as const
  })
  return { other, fields: Object.fromEntries(fields) }
}
