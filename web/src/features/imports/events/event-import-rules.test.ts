import type { Field } from '@portico/contract/contacts'
import { expect, test } from 'vitest'
import {
  eventImportSchema,
  eventMappingProblems,
  guessKey,
  initialEventValues,
  targetOf,
  toNewEventImport,
} from './event-import-rules.ts'

const fields: Field[] = [
  { name: 'City', type: 'string', isIndexed: false },
  { name: 'Email', type: 'string', isIndexed: true },
]

test('the suggested key is an id or PURL first, then an indexed field, then any other', () => {
  expect(guessKey(['CITY', 'email', 'Purl'], fields)).toEqual({ column: 'Purl', field: 'purl' })
  expect(guessKey(['CITY', 'email'], fields)).toEqual({ column: 'email', field: 'Email' })
  expect(guessKey(['CITY'], fields)).toEqual({ column: 'CITY', field: 'City' })
  expect(guessKey(['Town'], fields)).toBeNull()
})

test('columns are mapped to fields of the same name by default', () => {
  expect(targetOf('Event_Code', {})).toBe('event_code')
  expect(targetOf('Price', {})).toBe('Price')
  expect(targetOf('Price', { Price: ' amount ' })).toBe('amount')
  expect(targetOf('Price', { Price: '' })).toBe('')
})

test('usual names of event fields are recognized, and those of an export, unless another column has the field', () => {
  const send = (columns: string[], columnMapping: Record<string, string> = {}) =>
    toNewEventImport({ ...initialEventValues, keyColumn: 'Email', columnMapping }, 'events.csv', columns).columnMapping
  expect(send(['Email', 'Event', 'Page', 'When', 'Price'])).toEqual({
    Event: 'event_code',
    Page: 'event_path',
    When: 'event_date',
  })
  expect(send(['Email', 'event-name', 'Time', 'Date'])).toEqual({ 'event-name': 'event_code', Date: 'event_date' })
  expect(send(['Email', 'events.event_code', 'events.Price', 'Price', 'events.event_date'])).toEqual({
    'events.event_code': 'event_code',
    'events.event_date': 'event_date',
  })
  expect(send(['Email', 'Event', 'event_code', 'When', 'Kind'], { Kind: 'event_date' })).toEqual({ Kind: 'event_date' })
  expect(send(['Email', 'Event', 'When'], { Event: '' })).toEqual({ Event: null, When: 'event_date' })
})

test('reports what a mapping lacks, duplicates or must not contain', () => {
  const problems = (columns: string[], columnMapping: Record<string, string> = {}) =>
    eventMappingProblems(columns, { keyColumn: 'Email', columnMapping })
  const good = ['email', 'event_code', 'event_date', 'Price']
  expect(problems(good)).toEqual({ missing: null, columns: {} })
  expect(problems(['Email', 'What'])).toEqual({
    missing: 'Map a column to event_code and event_date.',
    columns: {},
  })
  expect(problems(good, { Price: 'EVENT_CODE' }).columns).toEqual({ Price: 'Value is duplicate!' })
  expect(problems(good, { Price: '$price' }).columns).toEqual({ Price: 'Value is not allowed!' })
  expect(problems(good, { event_code: '' }).missing).toBe('Map a column to event_code.')
  const many = Array.from({ length: 51 }, (_, at) => `own ${at}`)
  expect(problems([...good.slice(0, 3), ...many]).missing).toMatch(/^At most 50 columns/)
})

test('the form requires a key that contacts have, and valid emails', () => {
  const problems = (changes: object): string[] =>
    eventImportSchema(new Set(['spring']), fields)
      .safeParse({ ...initialEventValues, name: 'Summer', keyColumn: 'Email', keyField: 'email', ...changes })
      .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
  expect(problems({})).toEqual([])
  expect(problems({ keyField: '_ID' })).toEqual([])
  expect(problems({ name: 'SPRING', keyColumn: ' ', keyField: 'Shoe size', notificationEmails: ['x'] })).toEqual([
    'name: Value is duplicate!',
    'keyColumn: Value is required!',
    'keyField: Contacts have no field of this name.',
    'notificationEmails: Invalid email address!',
  ])
})

test('sends only what differs from the names in the file, and nothing for the key', () => {
  const values = {
    ...initialEventValues,
    name: ' Summer ',
    keyColumn: 'Email',
    keyField: 'Email',
    columnMapping: { Email: 'pdid', What: 'event_code', Secret: '', Old: 'x' },
  }
  expect(toNewEventImport(values, 'events.csv', ['Email', 'What', 'Secret'])).toEqual({
    kind: 'events',
    name: 'Summer',
    filePath: 'events.csv',
    fileDelimiter: 'comma',
    processBatchSize: 100,
    keyColumn: 'Email',
    keyField: 'Email',
    typeCasting: true,
    columnMapping: { What: 'event_code', Secret: null },
  })
})
