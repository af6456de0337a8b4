import { expect, test } from 'vitest'
import { searchStages } from './contact-search.ts'
import { formatValue } from './field-value.ts'

const fields = [
  { name: 'Name', type: 'string' as const, isIndexed: false },
  { name: 'Score', type: 'number' as const, isIndexed: false },
]

test('a search asks text fields for the text as it stands', () => {
  expect(searchStages(' a.b (c) ', fields)).toEqual([
    { $match: { $or: [{ Name: { $regex: 'a\\.b \\(c\\)', $options: 'i' } }] } },
  ])
})

test('nothing to look for or nowhere to look finds everything', () => {
  expect(searchStages('  ', fields)).toEqual([])
  expect(searchStages('a', fields.slice(1))).toEqual([])
})

test('values are shown by their type', () => {
  expect(formatValue(true)).toBe('True')
  expect(formatValue(false, 'boolean')).toBe('False')
  expect(formatValue(12345.5, 'number')).toBe('12,345.5')
  expect(formatValue('2026-01-31T00:00:00.000Z', 'string')).toBe('2026-01-31T00:00:00.000Z')
  expect(formatValue(undefined)).toBe('')
})
