import type { FieldProblem } from '@portico/contract/errors'
import { internalFieldNames } from '@portico/contract/contacts'
import { customIndexPrefix, type IndexKey } from '@portico/contract/indexes'
import { findByName, isSameName } from '@portico/domain/names'
import { messages } from '@portico/contract/messages'
import { type ContactField } from '#contacts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { IndexRow } from './indexes.queries.ts'
import type { IndexColumn } from './physical-indexes.queries.ts'

/** Field names in the form for a new index (specification 3 §3). */
const formFields = ['fieldName1', 'fieldName2'] as const

/**
 * Finds the fields of an index.
 * @throws invalid_input naming the first field that does not exist, is repeated, or is in a different table than the first
 */
export function findKeyFields(fields: readonly ContactField[], names: readonly string[]): ContactField[] {
  const find = findByName(fields, ({ name }) => name)
  const found = names.map((name, at) => {
    const formField = formFields[at] ?? 'fieldName1'
    if (name.trim() === '') throw invalidField(formField, messages.required)
    const field = find(name)
    if (!field) throw invalidField(formField, missingField(name))
    return field
  })
  const [first, second] = found
  if (!first || !second) return found
  if (first === second) throw invalidField('fieldName2', messages.duplicate)
  if (first.table !== second.table) {
    throw invalidField(
      'fieldName2',
      `"${first.name}" and "${second.name}" are stored in different tables, because the account has many fields. Create an index for each instead.`,
    )
  }
  return found
}

function missingField(name: string): string {
  const isInternal = internalFieldNames.some((internal) => isSameName(internal, name))
  return isInternal
    ? `Value is invalid! "${name}" is a built-in field and cannot be indexed.`
    : `Value is invalid! There is no field "${name}".`
}

/**
 * The rules of specification 3 §5: no second index over the same fields, none that begins with a field that has one of
 * its own, and a second field where there is an index of the first with another one. Failed indexes do not count.
 * @throws invalid_input, name_taken
 */
export function requireFree(existing: readonly IndexRow[], name: string, columns: readonly IndexColumn[]): void {
  const active = existing.filter(({ state }) => state !== 'failed')
  if (active.some((row) => isSameName(row.name, name))) throw nameTaken()
  const [first, second] = columns
  const sameFirst = active.filter(({ field_1 }) => field_1 === first?.field.id)
  if (sameFirst.some(({ field_2 }) => field_2 === null)) {
    throw invalidField('fieldName1', `${messages.duplicate} "${first?.field.name}" already has an index.`)
  }
  if (!second && sameFirst.length > 0) {
    throw invalidField('fieldName2', `${messages.required} An index of this field and another one already exists.`)
  }
  if (second && sameFirst.some(({ field_2 }) => field_2 === second.field.id)) {
    throw invalidField('fieldName2', `${messages.duplicate} An index of these two fields already exists.`)
  }
}

function nameTaken(): AppError {
  const problem: FieldProblem = { field: 'name', message: messages.duplicate }
  return new AppError('name_taken', [problem])
}

/** Returns the key spec of an index, such as `Email_1_City_-1`. */
export function keySpec(key: IndexKey): string {
  return key.map(([field, order]) => `${field}_${order}`).join('_')
}

/** Returns the name with the prefix of indexes made by users. */
export function customName(name: string | undefined, key: IndexKey): string {
  const wanted = name || keySpec(key)
  return wanted.startsWith(customIndexPrefix) ? wanted : `${customIndexPrefix}${wanted}`
}

/** Returns the fields of an index with their orders. A field with an index cannot be deleted, so each is found. */
export function columnsOf(row: IndexRow, fields: ReadonlyMap<number, ContactField>): IndexColumn[] {
  const first = fields.get(row.field_1)
  const second = row.field_2 === null ? undefined : fields.get(row.field_2)
  return [
    ...(first ? [{ field: first, order: row.order_1 }] : []),
    ...(second && row.order_2 !== null ? [{ field: second, order: row.order_2 }] : []),
  ]
}

export function keyOf(columns: readonly IndexColumn[]): IndexKey {
  return columns.map(({ field, order }) => [field.name, order])
}

/** The types of an index's fields, and their columns; a change of these requires a rebuild. */
export function typesOf(columns: readonly { field: ContactField }[]): string {
  return columns.map(({ field: { id, type, columnNo } }) => (columnNo === id ? type : `${type} in ${columnNo}`)).join()
}

/** The types and columns for which a lookup index over these fields is built. */
export const builtForOf = (fields: readonly ContactField[]): string => typesOf(fields.map((field) => ({ field })))
