import { describe, expect, test } from 'vitest'
import { contestedPaths, leavesOf, withLeaves } from './leaves.ts'

const values = { name: 'A', tags: ['x'], download: { fileName: 'report', zipped: false }, end: undefined, from: null }

test('nested values have paths, and lists are single values', () => {
  expect([...leavesOf(values)]).toEqual([
    ['name', 'A'],
    ['tags', ['x']],
    ['download.fileName', 'report'],
    ['download.zipped', false],
    ['end', undefined],
    ['from', null],
  ])
})

test('values are replaced at their paths, and all others stay', () => {
  const changed = withLeaves(
    values,
    new Map<string, unknown>([
      ['download.zipped', true],
      ['tags', []],
    ]),
  )
  expect(changed).toEqual({ ...values, tags: [], download: { fileName: 'report', zipped: true } })
  expect(withLeaves(values, new Map())).toEqual(values)
})

describe('a value is in conflict', () => {
  const opened = { name: 'A', text: 'a', list: ['x'] }

  test.each([
    ['if only others have changed it, as saving would change it back', { name: 'B' }, {}, ['name']],
    ['if both have changed it, each in another way', { name: 'B' }, { name: 'C' }, ['name']],
    ['not if both have changed it to the same', { list: ['y'] }, { list: ['y'] }, []],
    ['not if it was changed here alone', {}, { name: 'C' }, []],
    ['by itself', { name: 'B', list: [] }, { text: 'c', list: ['z'] }, ['name', 'list']],
  ])('%s', (_when, theirs, mine, paths) => {
    expect(contestedPaths(opened, { ...opened, ...theirs }, { ...opened, ...mine })).toEqual(paths)
  })
})
