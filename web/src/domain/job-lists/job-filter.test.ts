import { expect, test } from 'vitest'
import { jobFilterStages, readJobFilter, writeJobFilter } from './job-filter.ts'

test('only filters that are set become stages', () => {
  expect(jobFilterStages({ name: '', status: null })).toEqual([])
  expect(jobFilterStages({ name: 'spring', status: 'completed' })).toEqual([
    { $match: { status: 'completed', name: { $regex: 'spring', $options: 'i' } } },
  ])
})

test('special characters in a name are matched literally', () => {
  expect(jobFilterStages({ name: 'a.b (1)', status: null })).toEqual([
    { $match: { name: { $regex: 'a\\.b \\(1\\)', $options: 'i' } } },
  ])
})

test('the filter is kept in the address next to other parameters', () => {
  const params = writeJobFilter(new URLSearchParams('size=10&page=3'), { name: ' spring ', status: 'rejected' })
  expect(params.toString()).toBe('size=10&name=spring&status=rejected')
  expect(readJobFilter(params)).toEqual({ name: 'spring', status: 'rejected' })
  expect(writeJobFilter(params, { name: '', status: null }).toString()).toBe('size=10')
})

test('an unknown status is ignored', () => {
  expect(readJobFilter(new URLSearchParams('status=sleeping')).status).toBeNull()
})
