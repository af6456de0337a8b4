import { schemaResolver } from '@mantine/form'
import { expect, test } from 'vitest'
import { exportableNames } from '#domain/fields'
import { emptyFilter } from '#domain/filters'
import { newRow, type NotificationRow } from './notification-drafts.ts'
import { initialValues, newExportSchema, type NewExportValues, toNewExport } from './new-export-rules.ts'

const fields = Array.from({ length: 9 }, (_, index) => ({
  name: `Field ${index}`,
  type: index === 0 ? ('number' as const) : ('string' as const),
  isIndexed: false,
}))
const values = (part: Partial<NewExportValues>): NewExportValues => ({
  ...initialValues(fields),
  name: 'Lapsed donors',
  ...part,
})
const problemsOf = (part: Partial<NewExportValues>) =>
  schemaResolver(newExportSchema(new Set(['lapsed givers'])), { sync: true })(values(part))
test('the first seven fields are selected, and internal fields are offered after all others', () => {
  expect(initialValues(fields).exportFields).toEqual(fields.slice(0, 7).map(({ name }) => name))
  const names = exportableNames(fields, ['price'])
  expect(names.at(-1)).toBe('events.price')
  expect(names.slice(8, 16)).toEqual([
    'Field 8',
    'purl',
    'basePurl',
    'purlNumber',
    'Import',
    '_id',
    'events.event_code',
    'events.event_date',
  ])
})

test('reports what is wrong with the values', () => {
  expect(problemsOf({})).toEqual({})
  expect(problemsOf({ name: '' })).toEqual({ name: 'Value is required!' })
  expect(problemsOf({ name: 'abcd' })).toEqual({ name: 'Name should have more than 5 charecters' })
  expect(problemsOf({ name: 'LAPSED givers' })).toEqual({ name: 'Value is duplicate!' })
  expect(problemsOf({ exportFields: [] })).toEqual({ exportFields: 'Value is required!' })
})

test('sends the filter as text, and no options that are not set', () => {
  expect(toNewExport(values({ name: ' Lapsed donors ' }))).toEqual({
    name: 'Lapsed donors',
    delimiter: 'csv',
    exportFields: fields.slice(0, 7).map(({ name }) => name),
  })
  const condition = { field: 'Field 0', type: 'number', operator: '>', value: '5' } as const
  const filter = { ...emptyFilter, standard: [condition] }
  expect(toNewExport(values({ exportFields: ['_id'], filter, shouldZip: true }))).toEqual({
    name: 'Lapsed donors',
    delimiter: 'csv',
    shouldZip: true,
    exportFields: ['_id'],
    aggregateQuery: '[{"$match":{"$and":[{"Field 0":{"$gt":5}}]}}]',
  })
})

test('a byte order mark is sent only if it differs from the default', () => {
  expect(toNewExport(values({ delimiter: 'semicolon' }))).not.toHaveProperty('byteOrderMark')
  expect(toNewExport(values({ byteOrderMark: false }))).toMatchObject({ byteOrderMark: false })
  expect(toNewExport(values({ delimiter: 'tab' }))).toMatchObject({ byteOrderMark: true })
  expect(toNewExport(values({ delimiter: 'tab', byteOrderMark: false }))).not.toHaveProperty('byteOrderMark')
  expect(toNewExport(values({ delimiter: 'xlsx', byteOrderMark: false }))).not.toHaveProperty('byteOrderMark')
})

test('sends the columns of the groups in place of the fields, and the grouping', () => {
  const groupBy = {
    id: { field: 'Field 1', part: null },
    id2: null,
    isOfEvents: false,
    events: [],
    measures: [{ operator: 'count' as const, field: null }],
    sortBy: 0,
    sort: -1 as const,
    limit: 20,
  }
  const filter = { ...emptyFilter, groupBy }
  expect(toNewExport(values({ filter }), ['Field 1', 'count'])).toEqual({
    name: 'Lapsed donors',
    delimiter: 'csv',
    exportFields: ['Field 1', 'count'],
    aggregateQuery: JSON.stringify([
      { $group: { _id: { 'Field 1': '$Field 1' }, count: { $count: {} } } },
      { $sort: { count: -1 } },
      { $limit: 20 },
    ]),
  })
})

test('sends the notifications that are filled in', () => {
  const row = newRow('sftp')
  const draft = { ...row.draft, host: 'files.example.com', user: 'drop', password: 'secret' }
  expect(toNewExport(values({ notifications: [{ ...row, draft } as NotificationRow] })).notifications).toEqual([
    {
      type: 'sftp',
      host: 'files.example.com',
      folder: '',
      port: 22,
      user: 'drop',
      password: 'secret',
      privateKey: null,
    },
  ])
})
