import { expect, test } from 'vitest'
import { jobFilterStages, readJobFilter, writeJobFilter } from './job-filter.ts'

test('makes stages of what is set', () => {
  expect(jobFilterStages({ name: '', status: null })).toEqual([])
  expect(jobFilterStages({ name: 'spring', status: 'completed' })).toEqual([
    { $match: { status: 'completed', name: { $regex: 'spring', $options: 'i' } } },
  ])
})

test('a name is looked for as it is typed, whatever signs it has', () => {
  expect(jobFilterStages({ name: 'a.b (1)', status: null })).toEqual([
    { $match: { name: { $regex: 'a\\.b \\(1\\)', $options: 'i' } } },
  ])
})

test('lives in the address beside what others keep there', () => {
  const params = writeJobFilter(new URLSearchParams('size=10&page=3'), { name: ' spring ', status: 'rejected' })
  expect(params.toString()).toBe('size=10&name=spring&status=rejected')
  expect(readJobFilter(params)).toEqual({ name: 'spring', status: 'rejected' })
  expect(writeJobFilter(params, { name: '', status: null }).toString()).toBe('size=10')
})

test('a status that does not exist is none', () => {
  expect(readJobFilter(new URLSearchParams('status=sleeping')).status).toBeNull()
})
