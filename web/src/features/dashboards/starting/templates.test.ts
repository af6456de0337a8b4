import { readDefinition } from '@portico/contract/dashboards/definition'
import { expect, test } from 'vitest'
import { type AccountData, noData } from '../adding/account-data.ts'
import { definitionOf, type StartName, startNames, starts } from './templates.ts'

const everything: AccountData = {
  hasContacts: true,
  hasPurls: true,
  country: 'Country',
  state: 'State',
  isOfStates: false,
  city: 'City',
  categories: [
    { name: 'Segment', values: 5 },
    { name: 'Source', values: 9 },
  ],
  flags: ['Opted In'],
  numbers: ['Lifetime Value', 'Lead Score'],
  dates: [{ name: 'Last Purchase', isBirthday: false }],
  columns: ['Name', 'Email', 'Segment'],
  events: { hasKinds: true, hasPages: true, hasBrowsers: true, hasResponses: true },
}

const rows = (start: StartName, data: AccountData): string[][] =>
  definitionOf(start, data).layout.map((row) => row.map(({ cols, chart }) => `${cols} ${chart?.title}`))

test.each(startNames)('%s is a valid definition', (start) => {
  const { definition, problems } = readDefinition(JSON.stringify(definitionOf(start, everything)))
  expect(problems).toEqual([])
  for (const row of definition?.layout ?? []) {
    expect(row.reduce((sum, { cols }) => sum + cols, 0)).toBe(12)
  }
})

test('templates use the fields that the account has', () => {
  expect(rows('audience', everything)).toEqual([
    ['4 Contacts', '4 Total Lifetime Value', '4 Average Lead Score'],
    ['6 Segment', '6 State'],
    ['8 Contacts by Segment', '4 Share of Opted In'],
    ['6 Total Lifetime Value by Segment', '6 Contacts by Source'],
    ['12 Contacts by month of Last Purchase'],
    ['12 Contacts'],
  ])
  expect(rows('campaign', everything)[0]).toEqual(['4 Dates', '4 Active contacts', '4 Responding contacts'])
})

test('cells for missing fields are left out, and the others share the row', () => {
  const some = { ...noData, hasContacts: true, city: 'Town', flags: ['Member'], columns: ['Name', 'Town'] }
  expect(rows('audience', some)).toEqual([['12 Contacts'], ['12 Share of Member'], ['12 Contacts']])
  expect(rows('places', some)).toEqual([['12 Contacts by Town'], ['12 All of Town']])
  const named = JSON.stringify(startNames.map((start) => definitionOf(start, some)))
  expect(named).not.toMatch(/Segment|Country|Lifetime/)
})

test('an account without data sees what a template needs', () => {
  expect(startNames.map((start) => starts[start].lacks(noData))).toEqual([
    null,
    'Import contacts first.',
    'Import contacts first.',
    'Import contacts first.',
    'Import contacts first.',
  ])
  const contacts = { ...noData, hasContacts: true }
  expect(starts.activity.lacks(contacts)).toBe('No visits or clicks are recorded yet.')
  expect(starts.places.lacks(contacts)).toBe('No field for a country, state or city.')
  expect(startNames.map((start) => starts[start].lacks(everything))).toEqual([null, null, null, null, null])
  expect(rows('empty', everything)).toEqual([['12 undefined']])
})
