import { expect, test } from 'vitest'
import { keptColumns } from './carried-columns.ts'

const start = {
  purlColumns: ['First', 'Last'],
  dedupColumns: ['E-Mail'],
  latitudeColumn: 'Lat',
  longitudeColumn: 'Lon',
}

test('settings keep the columns that a file has, in any letter case', () => {
  expect(keptColumns(start, ['last', 'e-mail', 'LAT', 'lon'])).toEqual({ ...start, purlColumns: ['Last'] })
  expect(keptColumns(start, null)).toEqual(start)
})

test('a place needs both of its columns', () => {
  expect(keptColumns(start, ['Lat'])).toMatchObject({ latitudeColumn: '', longitudeColumn: '' })
})
