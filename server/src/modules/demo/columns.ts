import type { Person } from './person.ts'
import { seeded } from './random.ts'
import { phrases } from './word-lists.ts'

/** The value of a cell in a contact file; null for an empty one. */
export type Cell = string | number | boolean | Date | null

/** A column of a contact file. */
export type Column = { name: string; cell: (person: Person) => Cell }

const column = (name: string, cell: (person: Person) => Cell): Column => ({ name, cell })

export const email = column('Email', (person) => person.email)
export const firstName = column('First Name', (person) => person.firstName)
export const lastName = column('Last Name', (person) => person.lastName)
export const company = column('Company', (person) => person.company)
export const jobTitle = column('Job Title', (person) => person.jobTitle)
export const zip = column('Zip', (person) => person.zip)
export const country = column('Country', (person) => person.country)
export const phone = column('Phone', (person) => person.phone)
export const leadScore = column('Lead Score', (person) => person.leadScore)
export const optedIn = column('Opted In', (person) => person.isOptedIn)
export const segment = column('Segment', (person) => person.segment)
const lifetimeValue = column('Lifetime Value', (person) => person.value?.toFixed(2) ?? null)
const lifetimeGiving = column('Lifetime Giving', (person) => person.value && Math.round(person.value / 5) * 5)

const identity = [firstName, lastName, email, company, jobTitle]
const address = [
  column('Street', (person) => person.street),
  column('City', (person) => person.city),
  column('State', (person) => person.state),
  zip,
  country,
]
const position = [column('Latitude', (person) => person.latitude), column('Longitude', (person) => person.longitude)]
const birthDate = column('Birth Date', (person) => person.birthDate)

/** Columns of a shop's customers. */
export const customerColumns: readonly Column[] = [
  ...identity,
  ...address,
  phone,
  birthDate,
  leadScore,
  lifetimeValue,
  optedIn,
  segment,
  column('Last Purchase', (person) => person.lastPurchase),
  ...position,
]

/** Columns of a foundation's donors. */
const donorColumnsWith = (giving: Column): readonly Column[] => [
  ...identity,
  ...address,
  phone,
  birthDate,
  leadScore,
  giving,
  optedIn,
  segment,
  column('Last Gift', (person) => person.lastPurchase),
  ...position,
]
export const donorColumns = donorColumnsWith(lifetimeGiving)
/** Pledges as typed by hand: some cells contain words instead of a number. */
export const pledgeColumns = donorColumnsWith(
  column(lifetimeGiving.name, (person) => (person.index % 60 === 0 ? 'not sure' : lifetimeGiving.cell(person))),
)

/** Returns a column with values picked at random, but always the same value for the same person. */
function chosen(name: string, values: readonly string[]): Column {
  return column(name, (person) => seeded(`${name} ${person.email}`).pick(values))
}

export const loyaltyNumber = column('Loyalty Number', ({ index }) => `NW-${String(100_000 + index * 7)}`)
export const favoriteStore = chosen(
  'Favorite Store',
  phrases(
    'Denver Flagship; Boulder Pearl Street; Portland Pearl; Seattle Ballard; Salt Lake City; Minneapolis North Loop',
  ),
)
export const storeVisits = column('Store Visits', (person) => seeded(`visits ${person.email}`).between(1, 24))
export const signUpSource = chosen('Sign-up Source', phrases('Till; Receipt; Window poster; Store event; Wi-Fi page'))
export const interest = chosen('Interest', phrases('Hiking; Climbing; Trail running; Ski touring; Camping; Cycling'))
export const notes = chosen('Notes', phrases('Call back; Wants the dealer price list; Met at the stand; No follow-up'))
export const appeal = chosen('Appeal', phrases('Year-end letter; Spring mailing; Benefit concert; Web; Phone bank'))
export const guests = column('Guests', (person) => seeded(`guests ${person.email}`).between(1, 8))
export const dietaryNeeds = chosen('Dietary Needs', phrases('None; None; None; Vegetarian; Vegan; Gluten-free; Kosher'))
export const bibNumber = column('Bib Number', ({ index }) => String(index + 1).padStart(4, '0'))
export const shirtSize = chosen('T-shirt Size', phrases('XS; S; M; M; L; L; XL'))
