import type { ColumnReading } from '@portico/contract/imports'
import { describe, expect, test } from 'vitest'
import { readerOf } from './column-readings.ts'

const read = (reading: ColumnReading, cells: readonly string[]) => cells.map(readerOf(reading, 'UTC'))

describe('a number', () => {
  test.each([
    ['1,250', '1250'],
    ['$2,490.18', '2490.18'],
    ['-$5', '-5'],
    ['$-5', '-5'],
    ['€ 1,250.50', '1250.50'],
    ['1 250.5 EUR', '1250.5'],
    ["1'250'000", '1250000'],
    ['(1,250.00)', '-1250.00'],
    ['12 %', '0.12'],
    ['12.5%', '0.125'],
    ['100%', '1'],
    ['0 %', '0'],
    ['-0', '0'],
    ['+7', '7'],
    ['.5', '0.5'],
    ['007', '7'],
    ['\u22125', '-5'],
    [' 8 ', '8'],
    ['1,2500', null],
    ['12,50', null],
    ['1,250,00', null],
    ['1,250 000', null],
    ['--5', null],
    ['-$-5', null],
    ['n/a', null],
    ['', ''],
    ['$', null],
    ['%', null],
    ['1.2.3', null],
    ['1e5', null],
    ['1234567890123456', null],
  ])('%j with a decimal point is %j', (cell, value) => {
    expect(read({ type: 'number' }, [cell])).toEqual([value])
  })

  test('with a decimal comma may have points, spaces or apostrophes as group separators', () => {
    const cells = ['1.250,75', '1\u00a0250,75 €', '1250', '0,5', '-3,20', '12,5 %', '1.250', '1,250.75', '1.25']
    const values = ['1250.75', '1250.75', '1250', '0.5', '-3.20', '0.125', '1250', null, null]
    expect(read({ type: 'number', decimal: 'comma' }, cells)).toEqual(values)
  })
})

test('booleans are read in every common spelling', () => {
  const cells = ['Yes', 'no', 'Y', 'N', '1', '0', 'TRUE', ' false ', 'maybe', '2', '']
  const values = ['true', 'false', 'true', 'false', 'true', 'false', 'true', 'false', null, null, '']
  expect(read({ type: 'boolean' }, cells)).toEqual(values)
})

test('a day is read in the chosen order, and a leading year is unambiguous', () => {
  const cells = [
    '3/4/2024',
    '25/12/2023',
    '12/25/2023',
    '03.04.2024',
    '3-4-2024',
    '2024-04-03',
    '31/2/2024',
    '3/4.2024',
  ]
  expect(read({ type: 'day', order: 'day-first' }, cells)).toEqual([
    '2024-04-03',
    '2023-12-25',
    null,
    '2024-04-03',
    '2024-04-03',
    '2024-04-03',
    null,
    null,
  ])
  expect(read({ type: 'day' }, cells).slice(0, 3)).toEqual(['2024-03-04', null, '2023-12-25'])
  expect(read({ type: 'day' }, ['3/4/2024 10:00'])).toEqual([null])
})

test('a moment may have seconds, and AM or PM', () => {
  const cells = [
    '25/12/2023 9:05',
    '25/12/2023, 12:00:09 AM',
    '25/12/2023 3:15 pm',
    '25/12/2023',
    '25/12/2023 13:00 PM',
  ]
  expect(read({ type: 'date', order: 'day-first' }, cells)).toEqual([
    '2023-12-25 09:05',
    '2023-12-25 00:00:09',
    '2023-12-25 15:15',
    '2023-12-25',
    null,
  ])
})
