import type { Place } from '@portico/contract/geocoding'
import { z } from 'zod'
import { AppError } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import type { Address } from './address.ts'

/** An answer of the Google Geocoding API, and of what speaks its language; only what is read of it. */
const Answer = z.object({
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

// A user waits at a dialog.
const timeoutMs = 8000

/**
 * Asks the operator's geocoding service. Null if it finds no place. The key is sent to the service only, and never part of
 * an error.
 * @throws geocoding_failed with '{error_message} (status={status})' (specification 3 §8)
 */
export async function askGeocoder(
  service: NonNullable<Config['geocoder']>,
  address: Address,
  signal: AbortSignal,
): Promise<Place | null> {
  const answer = await fetchAnswer(urlFor(service, address), signal)
  if (answer.status === 'ZERO_RESULTS') return null
  const [first] = answer.results ?? []
  if (answer.status === 'OK' && !first) return null
  if (answer.status !== 'OK' || !first) {
    const reason = answer.error_message ?? 'The geocoding service refused the request.'
    throw failure(reason.replaceAll(service.key, '…'), answer.status)
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
  const asked = new URL(url)
  asked.searchParams.set('address', textOf(address))
  if (address.zip) asked.searchParams.set('components', `postal_code:${address.zip}`)
  asked.searchParams.set('key', key)
  return asked
}

function textOf({ address1, address2, city, country }: Address): string {
  return [address1, address2, city, country].filter(Boolean).join(', ')
}

async function fetchAnswer(url: URL, gone: AbortSignal): Promise<z.output<typeof Answer>> {
  const timeout = AbortSignal.timeout(timeoutMs)
  let text: string
  try {
    // A redirect would send the key to another host.
    const reply = await fetch(url, { signal: AbortSignal.any([timeout, gone]), redirect: 'error' })
    text = await reply.text()
  } catch {
    // The error may contain the URL with the key.
    if (timeout.aborted) throw failure('The geocoding service did not answer in time.', 'TIMEOUT')
    throw failure('The geocoding service could not be reached.', 'UNREACHABLE')
  }
  const answer = Answer.safeParse(parseJson(text))
  if (!answer.success) throw failure('The geocoding service gave an answer that cannot be read.', 'INVALID_RESPONSE')
  return answer.data
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
