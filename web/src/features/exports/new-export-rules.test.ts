import { schemaResolver } from '@mantine/form'
import { expect, test } from 'vitest'
import { conditionFields } from './conditions.ts'
import {
  exportableNames,
  initialValues,
  newExportSchema,
  type NewExportValues,
  toNewExport,
} from './new-export-rules.ts'

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
  schemaResolver(newExportSchema(new Set(['lapsed givers']), conditionFields(fields)), { sync: true })(values(part))
const condition = { key: 'a', field: 'Field 0', operator: '>', value: '5' } as const

test('the first seven fields are chosen, and the internal ones offered after all of them', () => {
  expect(initialValues(fields).exportFields).toEqual(fields.slice(0, 7).map(({ name }) => name))
  expect(exportableNames(fields).slice(8)).toEqual(['Field 8', 'purl', 'basePurl', 'purlNumber', 'Import', '_id'])
})

test('tells what is wrong in the words of the specification', () => {
  expect(problemsOf({})).toEqual({})
  expect(problemsOf({ name: '' })).toEqual({ name: 'Value is required!' })
  expect(problemsOf({ name: 'abcd' })).toEqual({ name: 'Name should have more than 5 charecters' })
  expect(problemsOf({ name: 'LAPSED givers' })).toEqual({ name: 'Value is duplicate!' })
  expect(problemsOf({ exportFields: [] })).toEqual({ exportFields: 'Value is required!' })
})

test('names the row and the part of a condition that is not right', () => {
  expect(problemsOf({ conditions: [condition, { ...condition, value: 'x' }] })).toEqual({
    'conditions.1.value': 'Value is invalid!',
  })
  expect(problemsOf({ conditions: [{ ...condition, field: '' }] })).toEqual({
    'conditions.0.field': 'Value is required!',
  })
})

test('sends the filter as text, and none for all contacts', () => {
  const asked = conditionFields(fields)
  expect(toNewExport(values({ name: ' Lapsed donors ' }), asked)).not.toHaveProperty('aggregateQuery')
  expect(toNewExport(values({ exportFields: ['_id'], conditions: [condition] }), asked)).toEqual({
    name: 'Lapsed donors',
    delimiter: 'csv',
    exportFields: ['_id'],
    aggregateQuery: '[{"$match":{"Field 0":{"$gt":5}}}]',
  })
})
