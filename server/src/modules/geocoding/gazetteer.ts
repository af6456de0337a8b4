import type { Place } from '@portico/contract/geocoding'
import type { ZipCode } from 'zipcodes'
import type { Address } from './address.ts'
import { countryCode, countryName, foldPlaceName } from './place-names.ts'
import { type GazetteerPlace, placesNamed } from './place-index.ts'

/**
 * Finds the postal code of an address (in the United States and Canada), else its city: of several of that name the one
 * with the most people. Null when neither is known, or the country is none. Streets are not looked at.
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
  if (code && isMeant(code, wanted.country, name, cities)) return zipPlace(code)
  const [largest] = cities
  return largest ? cityPlace(largest) : null
}

type Wanted = { country: string | null; region: string | null }

/** What stands beside the city's name: its country, and behind a comma a country or US state ("Springfield, IL"). */
async function readQualifiers(country: string | undefined, parts: readonly string[]): Promise<Wanted | null> {
  const wanted: Wanted = { country: null, region: null }
  const { states } = await import('zipcodes')
  for (const part of parts.filter(Boolean)) {
    const letters = part.toUpperCase()
    // CA and the like are states behind an American city, and nobody writes other countries by two letters there.
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

/** Nine digits and the second half of a Canadian code say where within the place. */
async function findZip(zip: string): Promise<ZipCode | null> {
  const american = /^(\d{5})(-?\d{4})?$/.exec(zip)?.[1]
  const canadian = /^([a-z]\d[a-z])( ?\d[a-z]\d)?$/i.exec(zip)?.[1]?.toUpperCase()
  const code = american ?? canadian
  if (!code) return null
  const { codes } = await import('zipcodes')
  return Object.hasOwn(codes, code) ? (codes[code] ?? null) : null
}

// The United States' postal service also serves these, which have codes of countries.
const servedByUs = new Set(['US', 'PR', 'VI', 'GU', 'AS', 'MP'])

// From the middle of a city to that of a postal code which is its own.
const sameCityKm = 60

/** Other countries have codes of five digits too: unless the address names its country, code and city have to agree. */
function isMeant(code: ZipCode, country: string | null, city: string, cities: readonly GazetteerPlace[]): boolean {
  if (country !== null) return code.country === 'Canada' ? country === 'CA' : servedByUs.has(country)
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
  // Canadian places have all their quarters behind them in parentheses.
  const label = `${city.replace(/ \(.*/, '')}, ${state} ${zip}, ${name}`
  return { latitude, longitude, label, precision: 'zip', source: 'gazetteer' }
}

function cityPlace({ name, country, region, latitude, longitude }: GazetteerPlace): Place {
  const label = [name, ...(country === 'US' ? [region] : []), countryName(country)].join(', ')
  return { latitude, longitude, label, precision: 'city', source: 'gazetteer' }
}
