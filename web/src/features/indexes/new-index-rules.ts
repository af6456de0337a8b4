import { customIndexPrefix, type IndexDetails, indexNameMaxLength, type NewIndex } from '@portico/contract/indexes'
import { messages } from '@portico/contract/messages'
import { isSameName } from '@portico/domain/names'

/** The form of a new index; a field that is not chosen is null. */
export type NewIndexValues = {
  fieldName1: string | null
  sortOrder1: '1' | '-1'
  fieldName2: string | null
  sortOrder2: '1' | '-1'
  unique: boolean
  name: string
}

export const initialValues: NewIndexValues = {
  fieldName1: null,
  sortOrder1: '-1',
  fieldName2: null,
  sortOrder2: '-1',
  unique: false,
  name: '',
}

/** The name as people see it: that of users' own indexes without its prefix. */
export const shownName = (name: string): string =>
  name.startsWith(customIndexPrefix) ? name.slice(customIndexPrefix.length) : name

/** Failed indexes do not count: they can be created again. */
const standing = (indexes: readonly IndexDetails[]): IndexDetails[] => indexes.filter(({ state }) => state !== 'failed')

/** Those that the portal keeps are in no one's way. */
const beginningWith = (indexes: readonly IndexDetails[], field: string): IndexDetails[] =>
  standing(indexes).filter(({ fieldName1, isKept }) => !isKept && isSameName(fieldName1, field))

/** Fields that an index may begin with: those without one of their own. */
export const firstFields = (names: readonly string[], indexes: readonly IndexDetails[]): string[] =>
  names.filter((name) => !beginningWith(indexes, name).some(({ fieldName2 }) => fieldName2 === null))

/** Fields allowed as second: not the first, and not those that it has an index with already. */
export function secondFields(
  names: readonly string[],
  indexes: readonly IndexDetails[],
  first: string | null,
): string[] {
  if (first === null) return []
  const used = beginningWith(indexes, first).flatMap(({ fieldName2 }) => fieldName2 ?? [])
  return names.filter((name) => !isSameName(name, first) && !used.some((other) => isSameName(name, other)))
}

/** Whether an index of the first field alone would say nothing new. */
export const needsSecond = (indexes: readonly IndexDetails[], first: string | null): boolean =>
  first !== null && beginningWith(indexes, first).some(({ fieldName2 }) => fieldName2 !== null)

/** field1_order1[_field2_order2] */
export function suggestedName({ fieldName1, sortOrder1, fieldName2, sortOrder2 }: NewIndexValues): string {
  if (fieldName1 === null) return ''
  const second = fieldName2 === null ? '' : `_${fieldName2}_${sortOrder2}`
  return `${fieldName1}_${sortOrder1}${second}`
}

/** Problems by part of the form. */
export function problemsOf(
  values: NewIndexValues,
  indexes: readonly IndexDetails[],
): Partial<Record<keyof NewIndexValues, string>> {
  const { fieldName1, fieldName2 } = values
  const name = nameProblem(values.name, indexes)
  return {
    ...(fieldName1 === null && { fieldName1: messages.required }),
    ...(fieldName2 === null && needsSecond(indexes, fieldName1) && { fieldName2: messages.required }),
    ...(name !== null && { name }),
  }
}

function nameProblem(name: string, indexes: readonly IndexDetails[]): string | null {
  const wanted = shownName(name.trim())
  if (wanted === '') return messages.required
  if (wanted.length > indexNameMaxLength) return `Name should have at most ${indexNameMaxLength} characters`
  return standing(indexes).some((index) => isSameName(shownName(index.name), wanted)) ? messages.duplicate : null
}

const orderOf = (order: '1' | '-1'): 1 | -1 => (order === '1' ? 1 : -1)

/** The request body of a valid form. */
export function toNewIndex({ fieldName1, sortOrder1, fieldName2, sortOrder2, unique, name }: NewIndexValues): NewIndex {
  const second: [string, 1 | -1][] = fieldName2 === null ? [] : [[fieldName2, orderOf(sortOrder2)]]
  return {
    key: [[fieldName1 ?? '', orderOf(sortOrder1)], ...second],
    options: { name: name.trim(), unique, background: true },
  }
}
