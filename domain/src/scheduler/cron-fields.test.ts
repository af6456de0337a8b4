import { expect, test } from 'vitest'
import { parseCron } from './cron-fields.ts'

test('reads lists, ranges, steps and names', () => {
  expect(parseCron(' 0,30  */6 1-10/3 jan,MAR-MAY  sun,1-3 ')).toEqual({
    minutes: [0, 30],
    hours: [0, 6, 12, 18],
    days: [1, 4, 7, 10],
    months: [1, 3, 4, 5],
    weekdays: [1, 2, 3, 7],
  })
})

test('Sunday is 0 and 7', () => {
  expect(parseCron('0 9 * * 0,7')?.weekdays).toEqual([7])
  expect(parseCron('0 9 * * 5-7')?.weekdays).toEqual([5, 6, 7])
})

test('a star means no restriction, a list of all values does not', () => {
  expect(parseCron('0 9 * * *')).toMatchObject({ days: null, months: null, weekdays: null })
  expect(parseCron('0 9 1-31 * *')?.days).toHaveLength(31)
})

test.each([
  '60 9 * * *',
  '0 24 * * *',
  '0 9 0 * *',
  '0 9 32 * *',
  '0 9 * 13 *',
  '0 9 * * 8',
  '5-1 9 * * *',
  '*/0 9 * * *',
  '5/15 9 * * *',
  '0 9 1, * *',
  '0 9 ,1 * *',
  '0 9 *-3 * *',
  '0 9 * * 1-2-3',
  '1.5 9 * * *',
  '-1 9 * * *',
  `${'0,'.repeat(200)}0 9 * * *`,
])('%s is not a cron expression', (expression) => {
  expect(parseCron(expression)).toBeNull()
})
