import anyAscii from 'any-ascii'
import { companies, jobTitles, mailDomains } from './businesses.ts'
import type { City } from './city.ts'
import { namesByCountry } from './names.ts'
import { citiesOf, type Region } from './places.ts'
import { type Random, seeded } from './random.ts'
import type { Segment } from './segments.ts'
import { streetsByCountry } from './streets.ts'

/** A fictional person. Null values are unknown. */
export type Person = {
  /** Number within the population, from 0. */
  index: number
  firstName: string
  lastName: string
  /** Unique in the population. */
  email: string
  company: string | null
  jobTitle: string | null
  street: string | null
  city: string
  state: string
  zip: string | null
  country: string
  phone: string | null
  birthDate: Date | null
  /** 0 to 100. */
  leadScore: number | null
  /** Spent or given so far, with cents. */
  value: number | null
  isOptedIn: boolean | null
  segment: string
  lastPurchase: Date | null
  /** Both are null, or neither. */
  latitude: number | null
  longitude: number | null
}

/** The people of an account. */
export type Population = {
  /** Different seeds give different people. */
  seed: string
  size: number
  region: Region
  segments: readonly Segment[]
  /** States with ten times the usual share of people. */
  home?: readonly string[]
  /** All dates are before this one. */
  asOf: Date
}

/** Generates the people of a population in order, always the same. */
export function* people(population: Population): Generator<Person> {
  const cities = citiesOf[population.region].map((city) =>
    population.home?.includes(city.state) ? { ...city, weight: city.weight * 10 } : city,
  )
  const emails = new Set<string>()
  for (let index = 0; index < population.size; index++) {
    const random = seeded(`${population.seed} ${index}`)
    const person = makePerson(random, index, cities, population)
    person.email = unlike(emails, person.email)
    yield person
  }
}

function makePerson(random: Random, index: number, cities: readonly City[], { segments, asOf }: Population): Person {
  const city = random.pickWeighted(cities)
  const segment = random.pickWeighted(segments)
  const { first, last } = namesOf(city.country)
  const firstName = random.pick(first)
  const lastName = random.pick(last)
  const company = known(random, random.pick(companies))
  return {
    index,
    firstName,
    lastName,
    email: makeEmail(random, firstName, lastName, company),
    company,
    jobTitle: known(random, random.pick(jobTitles)),
    street: known(random, makeStreet(random, city.country)),
    city: city.name,
    state: city.state,
    zip: known(random, random.pick(city.zips)),
    country: city.country,
    phone: known(
      random,
      random.pick(city.phones).replaceAll('#', () => String(random.between(0, 9))),
    ),
    birthDate: known(random, makeBirthDate(random, asOf)),
    ...makeFigures(random, segment, asOf),
    ...makePosition(random, city),
  }
}

/** Generates the values of a contact that depend on its segment. */
export function makeFigures(
  random: Random,
  segment: Segment,
  asOf: Date,
): Pick<Person, 'segment' | 'leadScore' | 'value' | 'isOptedIn' | 'lastPurchase'> {
  const hasBought = random.chance(segment.hasBought)
  const value = hasBought ? Math.round(segment.medianValue * Math.exp(random.normal() * 0.55) * 100) / 100 : 0
  const since = random.between(...segment.daysSinceLast)
  return {
    segment: segment.name,
    leadScore: known(random, random.between(...segment.leadScore)),
    value: known(random, value),
    isOptedIn: known(random, random.chance(segment.optedIn)),
    lastPurchase: hasBought ? known(random, daysBefore(asOf, since)) : null,
  }
}

// About one value in thirty is missing, as in real files.
const missing = 0.03

function known<T>(random: Random, value: T): T | null {
  return random.chance(missing) ? null : value
}

const everywhere = { first: [], last: [] }

function namesOf(country: string): { first: readonly string[]; last: readonly string[] } {
  return namesByCountry[country] ?? everywhere
}

function makeStreet(random: Random, country: string): string {
  // Low house numbers are more frequent.
  const house = 1 + Math.floor(random.next() ** 2 * (country === 'United States' ? 4800 : 140))
  return random.pick(streetsByCountry[country] ?? []).replace('#', String(house))
}

const ascii = (text: string): string =>
  anyAscii(text)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

function makeEmail(random: Random, firstName: string, lastName: string, company: string | null): string {
  const first = ascii(firstName)
  const last = ascii(lastName)
  const isAtWork = company !== null && random.chance(0.3)
  const local = random.pick([`${first}.${last}`, `${first}.${last}`, `${first[0]}${last}`, `${first}${last[0]}`, first])
  if (isAtWork) return `${local}@${ascii(company)}.example`
  const number = random.chance(0.45) ? String(random.between(1, 99)) : ''
  return `${local}${number}@${random.pick(mailDomains)}`
}

/** Returns the address, with a number if needed to make it unique. */
function unlike(taken: Set<string>, email: string): string {
  const [local = '', domain = ''] = email.split('@')
  let candidate = email
  for (let number = 2; taken.has(candidate); number++) candidate = `${local}.${number}@${domain}`
  taken.add(candidate)
  return candidate
}

const dayMs = 24 * 3600 * 1000

function daysBefore(asOf: Date, days: number): Date {
  return new Date(asOf.getTime() - days * dayMs)
}

function makeBirthDate(random: Random, asOf: Date): Date {
  // Most are around fifty.
  const age = 18 + 68 * ((random.next() + random.next()) / 2)
  return daysBefore(asOf, Math.round(age * 365.25))
}

/** Returns a place within a few miles of the city center, more often close to it. */
function makePosition(random: Random, city: City): Pick<Person, 'latitude' | 'longitude'> {
  const latitude = city.latitude + random.normal() * 0.02
  const longitude = city.longitude + (random.normal() * 0.02) / Math.cos((city.latitude * Math.PI) / 180)
  const place = { latitude: round5(latitude), longitude: round5(longitude) }
  return known(random, place) ?? { latitude: null, longitude: null }
}

const round5 = (degrees: number): number => Math.round(degrees * 1e5) / 1e5
