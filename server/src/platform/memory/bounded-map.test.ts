import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

test('the most recently set entries are kept', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('c', 3)
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ])
})

test('setting an entry again makes it the most recent', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map.keys()]).toEqual(['a', 'c'])
  expect(map.get('a')).toBe(3)
})

test('reading an entry does not make it the most recent, and deleting one makes room', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect(map.has('a')).toBe(false)
  map.delete('b')
  map.set('d', 4)
  expect([...map.keys()]).toEqual(['c', 'd'])
})
