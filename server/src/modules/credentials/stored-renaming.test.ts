import { expect, test } from 'vitest'
import { renameInRequest } from './stored-renaming.ts'

const rename = { from: 'Salary', to: 'Net pay' }
const parts = { params: {}, query: {}, body: undefined }

test.each([
  [
    'a list of names',
    'createExport',
    { body: { exportFields: ['Name', 'salary'] } },
    { exportFields: ['Name', 'Net pay'] },
  ],
  [
    'a condition after a saved filter, which may have changed since',
    'createExport',
    { body: { aggregateQuery: '[{"$predefined":"a"},{"$match":{"Salary":1}}]' } },
    { aggregateQuery: '[{"$predefined":"a"},{"$match":{"Net pay":1}}]' },
  ],
  [
    'the parts of an instruction',
    'createCron',
    { body: { instruction: { exportFields: ['Salary'], dateField: 'Salary', name: 'Salary' } } },
    { instruction: { exportFields: ['Net pay'], dateField: 'Net pay', name: 'Salary' } },
  ],
  [
    'columns that a file is mapped to',
    'createImport',
    { body: { columnMapping: { Wage: 'Salary' }, dedupColumns: ['Salary'] } },
    { columnMapping: { Wage: 'Net pay' }, dedupColumns: ['Net pay'] },
  ],
] as const)('%s gets the new name of a field', (_what, call, sent, body) => {
  expect(renameInRequest({ call, request: { ...parts, ...sent } }, rename).request).toEqual({ ...parts, body })
})

test('a search gets the new name of a field in its columns, order and stages', () => {
  const query = { select: 'Name Salary', sort: { Salary: 1 }, aggregate: [{ $match: { Salary: 'Salary' } }] }
  expect(renameInRequest({ call: 'listOffers', request: { ...parts, query } }, rename).request.query).toEqual({
    select: 'Name "Net pay"',
    sort: { 'Net pay': 1 },
    aggregate: [{ $match: { 'Net pay': 'Salary' } }],
  })
})

test('a request that does not name the field is returned as it is', () => {
  const body = { name: 'Salary', exportFields: ['Name'], aggregateQuery: '[ {"$match": {"Name": "Salary"}} ]' }
  const stored = { call: 'createExport' as const, request: { ...parts, body } }
  expect(renameInRequest(stored, rename)).toBe(stored)
})
