import type { Place } from '@portico/contract/geocoding'
import { z } from 'zod'
import { AppError } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import type { Address } from './address.ts'

/** Response of the Google Geocoding API, and of compatible services; only the fields that are used. */
const GeocoderResponse = z.object({
  status: z.string(),
  error_message: z.string().optional(),
  results: z
    .array(
      z.object({
        formatted_address: z.string().optional(),
        types: z.array(z.string()).optional(),
        geometry: z.object({
          location: z.object({ lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) }),
        }),
      }),
    )
    .optional(),
})

// Users wait for it in a dialog.
const timeoutMs = 8000

/**
 * Calls the operator's geocoding service. Null if it finds no place. The key is sent only to the service, and never
 * part of an error.
 * @throws geocoding_failed with '{error_message} (status={status})' (specification 3 §8)
 */
export async function callGeocoder(
  service: NonNullable<Config['geocoder']>,
  address: Address,
  signal: AbortSignal,
): Promise<Place | null> {
  const response = await fetchResponse(urlFor(service, address), signal)
  if (response.status === 'ZERO_RESULTS') return null
  const [first] = response.results ?? []
  if (response.status === 'OK' && !first) return null
  if (response.status !== 'OK' || !first) {
    const reason = response.error_message ?? 'The geocoding service refused the request.'
    throw failure(reason.replaceAll(service.key, '…'), response.status)
  }
  const { lat, lng } = first.geometry.location
  return {
    latitude: lat,
    longitude: lng,
    label: first.formatted_address ?? textOf(address),
    precision: precisionOf(first.types ?? []),
    source: 'geocoder',
  }
}

function urlFor({ url, key }: NonNullable<Config['geocoder']>, address: Address): URL {
  const request = new URL(url)
  request.searchParams.set('address', textOf(address))
  if (address.zip) request.searchParams.set('components', `postal_code:${address.zip}`)
  request.searchParams.set('key', key)
  return request
}

function textOf({ address1, address2, city, country }: Address): string {
  return [address1, address2, city, country].filter(Boolean).join(', ')
}

async function fetchResponse(url: URL, gone: AbortSignal): Promise<z.output<typeof GeocoderResponse>> {
  const timeout = AbortSignal.timeout(timeoutMs)
  let text: string
  try {
    // A redirect would send the key to another host.
    const reply = await fetch(url, { signal: AbortSignal.any([timeout, gone]), redirect: 'error' })
    text = await reply.text()
  } catch {
    // The error may contain the URL with the key.
    if (timeout.aborted) throw failure('The geocoding service did not respond in time.', 'TIMEOUT')
    throw failure('The geocoding service could not be reached.', 'UNREACHABLE')
  }
  const response = GeocoderResponse.safeParse(parseJson(text))
  if (!response.success) throw failure('The geocoding service sent an unreadable response.', 'INVALID_RESPONSE')
  return response.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function failure(message: string, status: string): AppError {
  return new AppError('geocoding_failed', { status }, `${message} (status=${status})`)
}

function precisionOf(types: readonly string[]): Place['precision'] {
  if (types.includes('postal_code')) return 'zip'
  const areas = ['locality', 'postal_town', 'sublocality', 'country', 'political']
  return areas.some((area) => types.includes(area)) ? 'city' : 'address'
}
