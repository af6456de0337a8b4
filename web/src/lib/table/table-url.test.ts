import { expect, test } from 'vitest'
import { readTableState, writeTableState } from './table-url.ts'

const read = (query: string) => readTableState(new URLSearchParams(query))

test('an address without parameters is the first page in the default order of the list', () => {
  expect(read('')).toEqual({ page: 1, pageSize: 5, sort: null })
})

test('invalid parameters in an address are ignored', () => {
  expect(read('page=-2&size=7&sort=')).toEqual({ page: 1, pageSize: 5, sort: null })
  expect(read('page=1.5&size=ten')).toEqual({ page: 1, pageSize: 5, sort: null })
  expect(read('sort=Name&dir=sideways').sort).toEqual({ field: 'Name', direction: 'asc' })
})

test('an address without a size uses the default', () => {
  expect(readTableState(new URLSearchParams('page=2'), 50)).toEqual({ page: 2, pageSize: 50, sort: null })
  expect(readTableState(new URLSearchParams('size=100'), 50).pageSize).toBe(100)
})

test('a state survives writing to the address and reading it, and other parameters stay', () => {
  const state = { page: 3, pageSize: 20, sort: { field: 'First Name & more', direction: 'desc' as const } }
  const written = writeTableState(new URLSearchParams('q=ada&page=9'), state)
  expect(written.get('q')).toBe('ada')
  expect(read(written.toString())).toEqual(state)
})

test('defaults are not written to the address', () => {
  const written = writeTableState(new URLSearchParams('page=2&size=20&sort=a&dir=desc'), {
    page: 1,
    pageSize: 5,
    sort: null,
  })
  expect(written.toString()).toBe('')
})
