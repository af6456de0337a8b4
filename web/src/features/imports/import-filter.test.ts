import { expect, test } from 'vitest'
import { emptyFilter, type Filter } from '#domain/filters'
import { importFields, importStages, readImportStages } from './import-filter.ts'

const built: Filter = {
  ...emptyFilter,
  standard: [
    { field: 'Name', type: 'string', operator: 'contains', value: 'spring' },
    { field: 'Processed Records', type: 'number', operator: '>=', value: '1000' },
    { field: 'Creation', type: 'date', operator: '>', value: '2026-01-31' },
    { field: 'Generate PURL', type: 'boolean', operator: '=', value: 'true' },
  ],
}

test('conditions are sent with the names of the API, and read back with those of the table', () => {
  const stages = importStages(built)
  expect(stages).toEqual([
    {
      $match: {
        $and: [
          { name: { $regex: 'spring', $options: 'i' } },
          { processedRecords: { $gte: 1000 } },
          { creationDate: { $gt: '2026-01-31' } },
          { generatePURL: true },
        ],
      },
    },
  ])
  expect(readImportStages(JSON.stringify(stages))).toEqual(built)
  expect(importStages(emptyFilter)).toEqual([])
})

test.each(['', 'no JSON', '{}', '[{"$match":{"secret":1}}]', '[{"$group":{}}]', '[1]'])(
  'an invalid address does not filter: %s',
  (text) => {
    expect(readImportStages(text)).toEqual(emptyFilter)
  },
)

test('every column of the table can be filtered by', () => {
  const columns = ['Name', 'Creation', 'Status', 'Processed Records', 'Start', 'Last Activity', 'PURL Status']
  expect(importFields.map(({ name }) => name)).toEqual(expect.arrayContaining(columns))
})
