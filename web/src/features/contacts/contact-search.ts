import type { Field } from '@portico/contract/contacts'

/** Stages that find contacts with the text in one of the fields, whatever its letter case; only text fields count. */
export function searchStages(text: string, fields: Field[]): Record<string, unknown>[] {
  const wanted = text.trim()
  const textFields = fields.filter(({ type }) => type === 'string')
  if (!wanted || textFields.length === 0) return []
  const pattern = wanted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return [{ $match: { $or: textFields.map(({ name }) => ({ [name]: { $regex: pattern, $options: 'i' } })) } }]
}
