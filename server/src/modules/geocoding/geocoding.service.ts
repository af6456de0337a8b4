import type { Place } from '@portico/contract/geocoding'
import { AppError } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import type { Address } from './address.ts'
import { callGeocoder } from './geocoder.ts'
import { findPlace } from './gazetteer.ts'
import { createRateLimit } from './rate-limit.ts'

/** Finds the place of an address for a person. @throws geocoding_failed, too_many_requests */
export type Geocode = (personId: string, address: Address, signal: AbortSignal) => Promise<Place>

// More than a person types, and too few to copy a map or run up costs.
const requestsPerMinute = 60

/** Uses the operator's service if one is configured, otherwise the gazetteer. */
export function createGeocoder(service: Config['geocoder']): Geocode {
  const isWithinLimit = createRateLimit({ requests: requestsPerMinute, perMs: 60_000 })
  return async (personId, address, signal) => {
    if (!isWithinLimit(personId)) throw new AppError('too_many_requests')
    const place = service ? await callGeocoder(service, address, signal) : await findPlace(address)
    // Uses the message of the code (specification 3 §8).
    if (!place) throw new AppError('geocoding_failed')
    return place
  }
}
