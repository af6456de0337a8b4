import type { Import } from '@portico/contract/imports'
import { schemaResolver } from '@mantine/form'
import { describe, expect, test } from 'vitest'
import {
  initialValues,
  locksOf,
  newImportSchema,
  type NewImportValues,
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

describe('what the form opens with', () => {
  test('the defaults, for the first import', () => {
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

  test('what the account has set, for the first import only', () => {
    const defaults = { purlColumns: ['First'], dedupColumns: ['Email'], notificationEmails: ['ann@example.com'] }
    expect(initialValues({ ...nothing, defaults })).toMatchObject(defaults)
    expect(initialValues(startFrom(anImport({ purlColumns: ['Last'] })))).toMatchObject({ purlColumns: ['Last'] })
  })

  test('all but the name of the most recent import', () => {
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

  test('its settings are inherited, and none of them is fixed', () => {
    expect(initialValues(startFrom(rejected, null))).toMatchObject({ dedupColumns: ['Emial'], typeCasting: true })
    expect(Object.values(locksOf(null, { purlGenerationScope: 'account' }))).not.toContain(true)
  })

  test('what an earlier import has fixed takes precedence', () => {
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

describe('what earlier imports have settled', () => {
  const settled = (part: Partial<Import>, scope: 'account' | 'import') =>
    Object.entries(locksOf(anImport(part), { purlGenerationScope: scope }))
      .filter(([, isLocked]) => isLocked)
      .map(([field]) => field)

  test('nothing before the first import', () => {
    expect(Object.values(locksOf(null, { purlGenerationScope: 'account' }))).not.toContain(true)
  })

  test('both PURL switches once there is an import, and the columns within the account scope', () => {
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

  test('the scope once an import has the import scope', () => {
    expect(settled({ purlGenerationScope: 'import', purlColumns: ['a'] }, 'import')).toEqual([
      'generatePURL',
      'dedupHashMatching',
      'purlGenerationScope',
    ])
  })

  test('back at account level the settled columns return', () => {
    const latest = anImport({ purlColumns: ['First'], dedupColumns: ['Email'] })
    const changed = values({ purlColumns: ['Other'], purlGenerationScope: 'account' })
    expect(withSettledColumns(changed, latest)).toEqual({ purlColumns: ['First'], dedupColumns: ['Email'] })
    expect(withSettledColumns({ ...changed, purlGenerationScope: 'import' }, latest)).toEqual({})
  })
})

describe('what the form has to fulfil', () => {
  test('is fine with all that is needed', () => {
    expect(problemsOf({})).toEqual({})
  })

  test.each([
    ['', 'Value is required!'],
    ['   ', 'Value is required!'],
    ['abcd', 'Name should have more than 5 charecters'],
    [' SPRING leads ', 'Value is duplicate!'],
    ['x'.repeat(101), 'Name should have at most 100 characters'],
  ])('the name %j: %s', (name, message) => {
    expect(problemsOf({ name }, ['spring leads'])).toEqual({ name: message })
  })

  test('five characters are enough', () => {
    expect(problemsOf({ name: 'abcde' })).toEqual({})
  })

  test('columns are needed when PURLs are generated, and counted', () => {
    expect(problemsOf({ purlColumns: [], dedupColumns: [] })).toEqual({
      purlColumns: 'Value is required!',
      dedupColumns: 'Value is required!',
    })
    expect(problemsOf({ generatePURL: false, purlColumns: [], dedupColumns: [] })).toEqual({})
    expect(Object.keys(problemsOf({ purlColumns: ['a', 'b', 'c', 'd'] }))).toEqual(['purlColumns'])
    expect(Object.keys(problemsOf({ dedupColumns: ['a', 'b', 'c', 'd', 'e', 'f'] }))).toEqual(['dedupColumns'])
  })

  test('problems of several fields are told at once', () => {
    expect(Object.keys(problemsOf({ name: '', purlColumns: [], latitudeColumn: 'lat' })).toSorted()).toEqual([
      'longitudeColumn',
      'name',
      'purlColumns',
    ])
  })

  test('latitude and longitude go together', () => {
    expect(Object.keys(problemsOf({ longitudeColumn: 'lon' }))).toEqual(['latitudeColumn'])
    expect(problemsOf({ latitudeColumn: 'lat', longitudeColumn: 'lon' })).toEqual({})
  })
})

describe('what is sent', () => {
  const free = locksOf(null, { purlGenerationScope: 'account' })

  test('the form as the contract has it', () => {
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

  test('no columns without PURLs, unless they are settled', () => {
    const without = values({ generatePURL: false })
    expect(toNewImport(without, 'leads.csv', free)).not.toHaveProperty('purlColumns')
    expect(toNewImport(without, 'leads.csv', { ...free, dedupColumns: true })).toMatchObject({
      dedupColumns: ['Email'],
    })
  })
})

test('each field has its tab', () => {
  expect(['name', 'filePath', 'purlColumns', 'dedupColumns.0'].map(tabOf)).toEqual(['main', 'main', 'purl', 'dedup'])
})
