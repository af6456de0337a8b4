import type { IndexDetails } from '@portico/contract/indexes'
import { expect, test } from 'vitest'
import {
  firstFields,
  initialValues,
  needsSecond,
  problemsOf,
  secondFields,
  shownName,
  suggestedName,
  toNewIndex,
} from './new-index-rules.ts'

const index = (name: string, fieldName1: string, fieldName2: string | null = null): IndexDetails => ({
  name,
  fieldName1,
  sortOrder1: 1,
  fieldName2,
  sortOrder2: fieldName2 === null ? null : -1,
  unique: false,
  isInternal: false,
  isKept: false,
  lastSearchedOn: null,
  state: 'ready',
  reason: null,
  progress: null,
  sizeBytes: 1,
  uses: 0,
  createdAt: null,
  creator: null,
})

const names = ['Email', 'City', 'Score', 'State']
const indexes = [index('cIndex_Email_1', 'email'), index('cIndex_pair', 'City', 'State')]
const values = { ...initialValues, fieldName1: 'Score', name: 'Score_-1' }

test('an indexed field is not offered as the first one, and an existing pair is not offered again', () => {
  expect(firstFields(names, indexes)).toEqual(['City', 'Score', 'State'])
  expect(secondFields(names, indexes, 'City')).toEqual(['Email', 'Score'])
  expect(secondFields(names, indexes, 'Score')).toEqual(['Email', 'City', 'State'])
  expect(secondFields(names, indexes, null)).toEqual([])
})

test('failed indexes count as missing', () => {
  const failed = indexes.map((one) => ({ ...one, state: 'failed' as const }))
  expect(firstFields(names, failed)).toEqual(names)
  expect(needsSecond(failed, 'City')).toBe(false)
  expect(problemsOf({ ...values, name: 'pair' }, failed)).toEqual({})
})

test('a second field is required if the first one is already indexed with another', () => {
  expect(needsSecond(indexes, 'City')).toBe(true)
  expect(needsSecond(indexes, 'Score')).toBe(false)
  expect(problemsOf({ ...values, fieldName1: 'City' }, indexes)).toEqual({ fieldName2: 'Value is required!' })
  expect(problemsOf({ ...values, fieldName1: 'City', fieldName2: 'Score' }, indexes)).toEqual({})
})

test('the name is required and unique, with or without the prefix', () => {
  expect(problemsOf(initialValues, indexes)).toEqual({ fieldName1: 'Value is required!', name: 'Value is required!' })
  for (const name of ['PAIR', 'cIndex_pair', ' pair ']) {
    expect(problemsOf({ ...values, name }, indexes)).toEqual({ name: 'Value is duplicate!' })
  }
  expect(problemsOf({ ...values, name: 'x'.repeat(421) }, indexes).name).toContain('at most 420')
})

test('the name describes the index; its prefix is not shown', () => {
  expect(suggestedName(values)).toBe('Score_-1')
  expect(suggestedName({ ...values, fieldName2: 'City', sortOrder2: '1' })).toBe('Score_-1_City_1')
  expect(shownName('cIndex_Score_-1')).toBe('Score_-1')
  expect(shownName('purl')).toBe('purl')
})

test('fields are sent in order', () => {
  expect(toNewIndex({ ...values, fieldName2: 'City', sortOrder2: '1', unique: true, name: ' best ' })).toEqual({
    key: [
      ['Score', -1],
      ['City', 1],
    ],
    options: { name: 'best', unique: true, background: true },
  })
})
