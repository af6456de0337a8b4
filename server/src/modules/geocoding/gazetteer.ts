import type { Place } from '@portico/contract/geocoding'
import type { ZipCode } from 'zipcodes'
import type { Address } from './address.ts'
import { countryCode, countryName, foldPlaceName } from './place-names.ts'
import { type GazetteerPlace, placesNamed } from './place-index.ts'

/**
 * Finds the postal code of an address (United States and Canada only), or else its city; of several cities with that
 * name, the most populous. Null if neither is known, or the country does not exist. Ignores streets.
 */
export async function findPlace({ city, zip, country }: Address): Promise<Place | null> {
  const [name = '', ...rest] = city.split(',').map((part) => part.trim())
  const wanted = await readQualifiers(country, rest)
  if (!wanted) return null
  const cities = (await placesNamed(name))
    .filter((place) => wanted.country === null || place.country === wanted.country)
    .filter((place) => wanted.region === null || (place.country === 'US' && place.region === wanted.region))
    .toSorted((one, other) => other.population - one.population)
  const code = zip ? await findZip(zip) : null
  if (code && isPlausible(code, wanted.country, name, cities)) return zipPlace(code)
  const [largest] = cities
  return largest ? cityPlace(largest) : null
}

type Wanted = { country: string | null; region: string | null }

/** Narrows down a city: by its country, and by a country or US state after a comma ("Springfield, IL"). */
async function readQualifiers(country: string | undefined, parts: readonly string[]): Promise<Wanted | null> {
  const wanted: Wanted = { country: null, region: null }
  const { states } = await import('zipcodes')
  for (const part of parts.filter(Boolean)) {
    const letters = part.toUpperCase()
    // After an American city, two letters such as CA are a state, not a country.
    const state = letters in states.abbr ? letters : states.full[letters]
    if (state && (!country || countryCode(country) === 'US')) wanted.region = state
    else wanted.country = countryCode(part)
  }
  if (country) {
    wanted.country = countryCode(country)
    if (wanted.country === null) return null
  }
  return wanted
}

/** Nine digits, or the second half of a Canadian code, are more precise than the place. */
async function findZip(zip: string): Promise<ZipCode | null> {
  const american = /^(\d{5})(-?\d{4})?$/.exec(zip)?.[1]
  const canadian = /^([a-z]\d[a-z])( ?\d[a-z]\d)?$/i.exec(zip)?.[1]?.toUpperCase()
  const code = american ?? canadian
  if (!code) return null
  const { codes } = await import('zipcodes')
  return Object.hasOwn(codes, code) ? (codes[code] ?? null) : null
}

// Territories served by the United States Postal Service that have their own country codes.
const uspsCountries = new Set(['US', 'PR', 'VI', 'GU', 'AS', 'MP'])

// From the center of a city to the center of one of its postal codes.
const sameCityKm = 60

/** Other countries have five-digit codes too: unless the address names its country, code and city must agree. */
function isPlausible(code: ZipCode, country: string | null, city: string, cities: readonly GazetteerPlace[]): boolean {
  if (country !== null) return code.country === 'Canada' ? country === 'CA' : uspsCountries.has(country)
  if (foldPlaceName(code.city) === foldPlaceName(city)) return true
  return cities.some((place) => distanceKm(place, code) < sameCityKm)
}

type Point = { latitude: number; longitude: number }

function distanceKm(one: Point, other: Point): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const [a, b] = [radians(one.latitude), radians(other.latitude)]
  const cosine =
    Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(radians(one.longitude - other.longitude))
  return 6371 * Math.acos(Math.min(1, cosine))
}

function zipPlace({ zip, city, state, country, latitude, longitude }: ZipCode): Place {
  const name = country === 'US' ? countryName('US') : country
  // Names of Canadian places are followed by all their neighborhoods in parentheses.
  const label = `${city.replace(/ \(.*/, '')}, ${state} ${zip}, ${name}`
  return { latitude, longitude, label, precision: 'zip', source: 'gazetteer' }
}

function cityPlace({ name, country, region, latitude, longitude }: GazetteerPlace): Place {
  const label = [name, ...(country === 'US' ? [region] : []), countryName(country)].join(', ')
  return { latitude, longitude, label, precision: 'city', source: 'gazetteer' }
}
