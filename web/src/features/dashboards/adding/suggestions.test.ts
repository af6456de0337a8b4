import type { Field } from '@portico/contract/contacts'
import { chartProblems } from '@portico/contract/dashboards/cell-problems'
import { readDefinition } from '@portico/contract/dashboards/definition'
import { expect, test } from 'vitest'
import { type AccountData, contactsQuestion, noData, readAccountData } from './account-data.ts'
import { suggestionsFor } from './suggestions.ts'

const field = (name: string, type: Field['type'] = 'string'): Field => ({ name, type, isIndexed: false })

const shop: [Field, values: number][] = [
  [field('First Name'), 220],
  [field('E-mail'), 1000],
  [field('company_type'), 4],
  [field('Zip'), 200],
  [field('City'), 75],
  [field('State'), 43],
  [field('Country'), 1],
  [field('Lead Score', 'number'), 100],
  [field('Lifetime Value', 'number'), 900],
  [field('Latitude', 'number'), 950],
  [field('Birth Date', 'date'), 900],
  [field('Last Purchase', 'date'), 400],
  [field('Opted In', 'boolean'), 2],
  [field('Old code'), 0],
]

const fields = shop.map(([one]) => one)
const sample = {
  count: 1000,
  purls: 1000,
  firstCountry: 'United States',
  ...Object.fromEntries(shop.map(([, values], at) => [`field${at}`, values])),
}
const events = { count: 500, kinds: 5, pages: 20, browsers: 4, triggers: true }
const account = readAccountData(fields, sample, events)

const titles = (data: AccountData): string[] => suggestionsFor(data, []).map(({ type, title }) => `${type}: ${title}`)

test('fields are classified by their values', () => {
  expect(account).toEqual({
    hasContacts: true,
    hasPurls: true,
    country: 'Country',
    state: 'State',
    isOfStates: true,
    city: 'City',
    categories: [{ name: 'company_type', values: 4 }],
    flags: ['Opted In'],
    numbers: ['Lifetime Value', 'Lead Score'],
    dates: [
      { name: 'Last Purchase', isBirthday: false },
      { name: 'Birth Date', isBirthday: true },
    ],
    columns: ['First Name', 'E-mail', 'company_type', 'City', 'State', 'Country'],
    events: { hasKinds: true, hasPages: true, hasBrowsers: true, hasResponses: true },
  })
})

test('suggestions are complete cells for the fields of the account', () => {
  expect(titles(account)).toEqual([
    'KPI: Contacts',
    'Pie: Contacts by company_type',
    'Bar: Contacts by City',
    'Geo: Contacts by State',
    'Column: Events by month',
    'Bar: Most visited pages',
    'KPI: Total Lifetime Value',
    'KPI: Share of Opted In',
    'Column: Total Lifetime Value by company_type',
    'Line: Contacts by month of Last Purchase',
    'KPI: Events',
    'Pie: Events by kind',
  ])
  const charts = suggestionsFor(account, [])
  expect(charts.flatMap(chartProblems)).toEqual([])
  const layout = charts.map((chart) => [{ cols: 4, chart }])
  expect(readDefinition(JSON.stringify({ layout })).problems).toEqual([])
})

test('without events and known places there are fewer suggestions, and none for an empty account', () => {
  expect(
    titles(readAccountData([field('Colour'), field('Code')], { count: 4, field0: 3, field1: 4 }, undefined)),
  ).toEqual(['KPI: Contacts', 'Pie: Contacts by Colour', 'Dropdown: Colour', 'PaginaTable: List of contacts'])
  expect(titles(readAccountData(fields, undefined, undefined))).toEqual([])
  expect(titles(noData)).toEqual([])
})

test('cells that the dashboard already has are not suggested', () => {
  const [first, ...rest] = suggestionsFor(account, [])
  const next = suggestionsFor(account, first ? [{ id: 'a', cols: 4, chart: first }] : [])
  expect(next.slice(0, rest.length)).toEqual(rest)
})

test('fields that cannot be a group key are not queried', () => {
  const [, group] =
    contactsQuestion([field('count'), field('$x'), field('events.a'), field('City')]).filter?.standard ?? []
  expect(group).toMatchObject({ $group: { field0: { $size: { $addToSet: '$City' } } } })
  expect(JSON.stringify(group)).not.toContain('field1')
})
