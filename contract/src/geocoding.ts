import { z } from 'zod'
import { messages } from './messages.ts'
import type { Route } from './route.ts'

const Line = z.string().trim().max(200)

/** A postal address to look up (specification 3 §2.6). */
export const AddressQuery = z.strictObject({
  address1: Line.min(1, messages.required),
  address2: Line.optional(),
  city: Line.min(1, messages.required),
  zip: Line.max(20).optional(),
  country: Line.optional(),
})
export type AddressQuery = z.input<typeof AddressQuery>

/** The location of an address, in degrees. */
export const Place = z.object({
  latitude: z.number(),
  longitude: z.number(),
  /** Description of the place found. */
  label: z.string(),
  /** Precision: the address itself, its postal code, or its city. */
  precision: z.enum(['address', 'zip', 'city']),
  /** The source: the operator's geocoding service, or the gazetteer that comes with the portal. */
  source: z.enum(['geocoder', 'gazetteer']),
})
export type Place = z.output<typeof Place>

export const geocodingApi = {
  /** 422 `geocoding_failed` has the service's own words: 'No results could be found!', or its message and status. */
  geocode: {
    method: 'GET',
    path: '/contact-service/v1/geocode',
    summary: 'Geocode a postal address',
    access: 'contact-service::offers::get',
    query: AddressQuery,
    reply: Place,
    errors: ['geocoding_failed', 'too_many_requests'],
  },
} as const satisfies Record<string, Route>
