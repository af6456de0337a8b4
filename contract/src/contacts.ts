import { z } from 'zod'
import { formatStyles, mostDecimals } from '@portico/domain/field-format'
import { fieldTypes, isDateType } from '@portico/domain/field-types'
import { countedPage, listReply, OffersQuery } from './list-query.ts'
import type { Route } from './route.ts'

export { internalFields, isDateType } from '@portico/domain/field-types'

export const FieldType = z.enum(fieldTypes)
export type FieldType = z.output<typeof FieldType>

/** Returns the narrowest type that holds the values of both: days are midnights among moments, and anything is text. */
export function commonType(one: FieldType, other: FieldType): FieldType {
  if (one === other) return one
  return isDateType(one) && isDateType(other) ? 'date' : 'string'
}

/** Names that the portal itself gives to parts of a contact; no imported column may have one (in any letter case). */
export const internalFieldNames = [
  '_id',
  'purl',
  'basePurl',
  'purlNumber',
  'Import',
  'events',
  'location',
  'rowNumber',
  'dedupHash',
  '__v',
  // JavaScript objects would lose a property of this name.
  '__proto__',
] as const

export const fieldNameMaxLength = 200

/** How the values of a number field are shown. */
export const FieldFormat = z.strictObject({
  style: z.enum(formatStyles),
  /** Null: the decimals of each value. */
  decimals: z.number().int().min(0).max(mostDecimals).nullable().default(null),
  /** ISO code; only for currencies. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'Enter the three letters of a currency, such as USD.')
    .nullable()
    .default(null),
})

/** A column of contact data, from the account's imports. By default, numbers have separators and their own decimals. */
export const Field = z.object({
  name: z.string(),
  type: FieldType,
  isIndexed: z.boolean(),
  format: FieldFormat.optional(),
})
export type Field = z.output<typeof Field>

export const FieldValue = z.union([z.string(), z.number(), z.boolean()])
export type FieldValue = z.output<typeof FieldValue>

/**
 * A contact (`offer` on the wire): flat, without fields of no value, moments in UTC (ISO 8601), days as `2026-01-31`.
 */
export const Offer = z.looseObject({ _id: z.string() })
export type Offer = z.output<typeof Offer>

/**
 * An entry of `GET /offers`: a contact; with `aggregate`, a row with the columns of the pipeline, null if there is no
 * value. Callers without `aggregate` can rely on contacts, so that is the type.
 */
export const OfferOrRowShape = z.union([Offer, z.looseObject({})])
/** The same without a check: all fields of the account are sent, so there is nothing to strip. */
export const OfferOrRow = z.unknown() as z.ZodType<Offer>

/**
 * An event of a contact that an application recorded. `details` contains further values, under the application's names.
 */
export const OfferEvent = z.object({
  event_code: z.string(),
  event_date: z.string(),
  app_code: z.string().nullable(),
  event_path: z.string().nullable(),
  event_element: z.string().nullable(),
  browser: z.string().nullable(),
  os: z.string().nullable(),
  ip: z.string().nullable(),
  is_trigger: z.boolean(),
  pdid: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
})
export type OfferEvent = z.output<typeof OfferEvent>

/** The typed text, and how many contacts to suggest for it. */
export const SuggestionQuery = z.strictObject({
  text: z.string().trim().min(1).max(200),
  limit: z.coerce.number().int().min(1).max(20).default(5),
})
export type SuggestionQuery = z.output<typeof SuggestionQuery>

export const contactsApi = {
  listFields: {
    method: 'GET',
    path: '/contact-service/v1/fields',
    summary: 'List the contact fields of the account in order of creation',
    access: 'contact-service::offers::get',
    reply: z.array(Field),
  },
  listOffers: {
    method: 'GET',
    path: '/contact-service/v1/offers',
    summary: 'Search, aggregate or count contacts',
    access: 'contact-service::offers::get',
    query: OffersQuery,
    reply: z.union([countedPage(OfferOrRow), listReply(OfferOrRow)]),
    errors: ['invalid_filter', 'timed_out'],
  },
  suggestOffers: {
    method: 'GET',
    path: '/contact-service/v1/offers/suggestions',
    summary: 'Suggest contacts for a text that is being typed, where an index makes that quick',
    access: 'contact-service::offers::get',
    query: SuggestionQuery,
    reply: z.array(Offer),
    errors: ['timed_out'],
  },
  getOffer: {
    method: 'GET',
    path: '/contact-service/v1/offers/:id',
    summary: 'Get a contact with all fields and its newest events, at most 10,000 or 5 MB of them',
    access: 'contact-service::offers::get',
    params: z.object({ id: z.string() }),
    reply: Offer,
    errors: ['not_found', 'timed_out'],
  },
  listContactEvents: {
    method: 'GET',
    path: '/contact-service/v1/offers/:id/events',
    summary:
      'List events of a contact, newest first. A page of large events has fewer than asked for; the last is empty',
    access: 'contact-service::offers::get',
    params: z.object({ id: z.string() }),
    query: z.strictObject({
      skip: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
    }),
    reply: z.array(OfferEvent),
    errors: ['not_found', 'timed_out'],
  },
} as const satisfies Record<string, Route>
