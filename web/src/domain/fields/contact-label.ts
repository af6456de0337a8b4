import type { Field, Offer } from '@portico/contract/contacts'
import { formatValue } from '#domain/charts'

/** A readable name for the contact: its first values, else its id. */
export function contactLabel(offer: Offer, fields: readonly Field[]): string {
  const values = fields.slice(0, 2).map(({ name, type, format }) => formatValue(offer[name], type, format))
  return values.filter(Boolean).join(' ') || offer._id
}
