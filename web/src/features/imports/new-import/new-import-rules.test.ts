import type { Import } from '@portico/contract/imports'
import { schemaResolver } from '@mantine/form'
import { describe, expect, test } from 'vitest'
import {
  initialValues,
  locksOf,
  newImportSchema,
  type NewImportValues,
  stepOf,
  tabOf,
  toNewImport,
  withSettledColumns,
} from './new-import-rules.ts'
import { anImport } from '#test/imports.ts'

const nothing = { latest: null, binding: null, defaults: null }
const startFrom = (latest: Import, binding: Import | null = latest) => ({ ...nothing, latest, binding })

const values = (part: Partial<NewImportValues> = {}): NewImportValues => ({
  ...initialValues(nothing),
  name: 'Spring leads',
  purlColumns: ['First', 'Last'],
  dedupColumns: ['Email'],
  ...part,
})
const problemsOf = (part: Partial<NewImportValues>, taken: string[] = []) =>
  schemaResolver(newImportSchema(new Set(taken)), { sync: true })(values(part))

describe('initial values of the form', () => {
  test('are the general defaults for the first import', () => {
    expect(initialValues(nothing)).toEqual({
      name: '',
      generatePURL: true,
      dedupHashMatching: false,
      exportOnImportCompletion: false,
      typeCasting: true,
      processBatchSize: '100',
      fileDelimiter: 'comma',
      purlGenerationScope: 'account',
      latitudeColumn: '',
      longitudeColumn: '',
      purlColumns: [],
      dedupColumns: [],
      notificationEmails: [],
      columnMapping: {},
      onMismatchByField: {},
      columnTypes: {},
    })
  })

  test('are the import defaults of the account, for the first import only', () => {
    const defaults = { purlColumns: ['First'], dedupColumns: ['Email'], notificationEmails: ['ann@example.com'] }
    expect(initialValues({ ...nothing, defaults })).toMatchObject(defaults)
    expect(initialValues(startFrom(anImport({ purlColumns: ['Last'] })))).toMatchObject({ purlColumns: ['Last'] })
  })

  test('come from the most recent import, except the name', () => {
    const latest = anImport({
      name: 'Last one',
      generatePURL: false,
      typeCasting: true,
      processBatchSize: 50,
      fileDelimiter: 'pipe',
      latitudeColumn: 'lat',
      purlColumns: ['First'],
    })
    expect(initialValues(startFrom(latest))).toMatchObject({
      name: '',
      generatePURL: false,
      typeCasting: true,
      processBatchSize: '50',
      fileDelimiter: 'pipe',
      latitudeColumn: 'lat',
      longitudeColumn: '',
      purlColumns: ['First'],
    })
  })
})

describe('after a rejected import', () => {
  const rejected = anImport({ status: 'rejected', processedRecords: 0, dedupColumns: ['Emial'], typeCasting: true })

  test('its settings are inherited, but none is locked', () => {
    expect(initialValues(startFrom(rejected, null))).toMatchObject({ dedupColumns: ['Emial'], typeCasting: true })
    expect(Object.values(locksOf(null, { purlGenerationScope: 'account' }))).not.toContain(true)
  })

  test('settings locked by an earlier import take precedence', () => {
    expect(initialValues(startFrom(rejected, anImport({ dedupHashMatching: true })))).toMatchObject({
      dedupHashMatching: true,
      purlColumns: ['First', 'Last'],
      dedupColumns: ['Email'],
      typeCasting: true,
    })
    const perImport = anImport({ purlGenerationScope: 'import' })
    expect(initialValues(startFrom(rejected, perImport))).toMatchObject({
      purlGenerationScope: 'import',
      dedupColumns: ['Emial'],
    })
  })
})

describe('settings locked by earlier imports', () => {
  const settled = (part: Partial<Import>, scope: 'account' | 'import') =>
    Object.entries(locksOf(anImport(part), { purlGenerationScope: scope }))
      .filter(([, isLocked]) => isLocked)
      .map(([field]) => field)

  test('are none before the first import', () => {
    expect(Object.values(locksOf(null, { purlGenerationScope: 'account' }))).not.toContain(true)
  })

  test('are both PURL switches after an import, and the columns within the account scope', () => {
    const part = { purlGenerationScope: 'account', purlColumns: ['a'], dedupColumns: ['b'] } as const
    expect(settled({ ...part, purlColumns: ['a'], dedupColumns: ['b'] }, 'account')).toEqual([
      'generatePURL',
      'dedupHashMatching',
      'purlColumns',
      'dedupColumns',
    ])
    expect(settled({ ...part, purlColumns: ['a'], dedupColumns: [] }, 'account')).not.toContain('dedupColumns')
    expect(settled({ ...part, purlColumns: ['a'], dedupColumns: ['b'] }, 'import')).toEqual([
      'generatePURL',
      'dedupHashMatching',
    ])
  })

  test('include the scope once an import has the import scope', () => {
    expect(settled({ purlGenerationScope: 'import', purlColumns: ['a'] }, 'import')).toEqual([
      'generatePURL',
      'dedupHashMatching',
      'purlGenerationScope',
    ])
  })

  test('restore the locked columns when the scope is the account again', () => {
    const latest = anImport({ purlColumns: ['First'], dedupColumns: ['Email'] })
    const changed = values({ purlColumns: ['Other'], purlGenerationScope: 'account' })
    expect(withSettledColumns(changed, latest)).toEqual({ purlColumns: ['First'], dedupColumns: ['Email'] })
    expect(withSettledColumns({ ...changed, purlGenerationScope: 'import' }, latest)).toEqual({})
  })
})

describe('form validation', () => {
  test('accepts a complete form', () => {
    expect(problemsOf({})).toEqual({})
  })

  test.each([
    ['', 'Value is required!'],
    ['   ', 'Value is required!'],
    ['abcd', 'Name should have more than 5 charecters'],
    [' SPRING leads ', 'Value is duplicate!'],
    ['x'.repeat(101), 'Name should have at most 100 characters'],
  ])('reports for the name %j: %s', (name, message) => {
    expect(problemsOf({ name }, ['spring leads'])).toEqual({ name: message })
  })

  test('accepts a name of five characters', () => {
    expect(problemsOf({ name: 'abcde' })).toEqual({})
  })

  test('requires columns when PURLs are generated, and limits their number', () => {
    expect(problemsOf({ purlColumns: [], dedupColumns: [] })).toEqual({
      purlColumns: 'Value is required!',
      dedupColumns: 'Value is required!',
    })
    expect(problemsOf({ generatePURL: false, purlColumns: [], dedupColumns: [] })).toEqual({})
    expect(Object.keys(problemsOf({ purlColumns: ['a', 'b', 'c', 'd'] }))).toEqual(['purlColumns'])
    expect(Object.keys(problemsOf({ dedupColumns: ['a', 'b', 'c', 'd', 'e', 'f'] }))).toEqual(['dedupColumns'])
  })

  test('reports problems of several fields at once', () => {
    expect(Object.keys(problemsOf({ name: '', purlColumns: [], latitudeColumn: 'lat' })).toSorted()).toEqual([
      'longitudeColumn',
      'name',
      'purlColumns',
    ])
  })

  test('requires latitude and longitude together', () => {
    expect(Object.keys(problemsOf({ longitudeColumn: 'lon' }))).toEqual(['latitudeColumn'])
    expect(problemsOf({ latitudeColumn: 'lat', longitudeColumn: 'lon' })).toEqual({})
  })
})

describe('the request body', () => {
  const free = locksOf(null, { purlGenerationScope: 'account' })

  test('has the form of the contract', () => {
    expect(toNewImport(values({ name: ' Spring leads ', latitudeColumn: ' ' }), 'leads.csv', free)).toEqual({
      name: 'Spring leads',
      filePath: 'leads.csv',
      generatePURL: true,
      dedupHashMatching: false,
      exportOnImportCompletion: false,
      typeCasting: true,
      processBatchSize: 100,
      fileDelimiter: 'comma',
      purlGenerationScope: 'account',
      purlColumns: ['First', 'Last'],
      dedupColumns: ['Email'],
    })
  })

  test('has no columns without PURLs, unless they are locked', () => {
    const without = values({ generatePURL: false })
    expect(toNewImport(without, 'leads.csv', free)).not.toHaveProperty('purlColumns')
    expect(toNewImport(without, 'leads.csv', { ...free, dedupColumns: true })).toMatchObject({
      dedupColumns: ['Email'],
    })
  })
})

test('each field belongs to a tab', () => {
  expect(['latitudeColumn', 'purlColumns', 'dedupColumns.0'].map(tabOf)).toEqual(['main', 'purl', 'dedup'])
  expect(['name', 'columnMapping.Email', 'dedupColumns.0'].map(stepOf)).toEqual(['file', 'match', 'options'])
})
