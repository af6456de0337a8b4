import type { Field } from '@portico/contract/contacts'

/** The value that contacts are looked up by: a PURL, an id, or the value of a field. */
export type Wanted = { by: string; text: string }

/** Names of what every contact can be looked up by. */
export const purlName = 'purl'
export const idName = '_id'

/** The condition on a field; null where no contact can have the text as its value. */
export function lookUpCondition({ by, text }: Wanted, fields: readonly Field[]): Record<string, unknown> | null {
  const value = text.trim()
  if (value === '') return null
  if (by === purlName) return { [purlName]: value.toLowerCase() }
  if (by === idName) return /^\d{1,18}$/.test(value) ? { [idName]: value } : null
  const field = fields.find(({ name }) => name === by)
  if (field?.type === 'number') return Number.isFinite(Number(value)) ? { [by]: Number(value) } : null
  const escaped = value.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return { [by]: { $regex: `^${escaped}$`, $options: 'i' } }
}
