import { expect, test } from 'vitest'
import { fileName, svgSize } from './chart-image.ts'
import { type ChartStop, nextStop } from './chart-keyboard.ts'

test.each([
  ['Contacts by City', 'Contacts by City'],
  ['a/b\\c:d*e?"<>|', 'a b c d e'],
  ['..', 'chart'],
  ['', 'chart'],
  ['Grüße (2026)', 'Grüße (2026)'],
])('the title %j gives the file name %j', (title, name) => {
  expect(fileName(title)).toBe(name)
})

test('the size of an image is that of its root element', () => {
  expect(svgSize('<svg width="460" height="250.5" viewBox="0 0 1 1"><rect width="1"/></svg>')).toEqual({
    width: 460,
    height: 250.5,
  })
})

const stop = (series: number, index: number): ChartStop => ({ series, index, text: '', isMarked: false })
const right = { along: 'index', by: 1 } as const
const down = { along: 'series', by: 1 } as const

test('arrows move along a series past missing values, and between series', () => {
  const stops = [stop(0, 0), stop(1, 0), stop(1, 1), stop(0, 2), stop(2, 2)]
  expect(nextStop(stops, 0, right)).toBe(3)
  expect(nextStop(stops, 3, right)).toBe(3)
  expect(nextStop(stops, 3, { along: 'index', by: -1 })).toBe(0)
  expect(nextStop(stops, 0, down)).toBe(1)
  expect(nextStop(stops, 3, down)).toBe(4)
  expect(nextStop(stops, 1, { along: 'series', by: -1 })).toBe(0)
})

test('with one series all arrows move along it', () => {
  const stops = [stop(0, 0), stop(0, 1)]
  expect(nextStop(stops, 0, down)).toBe(1)
  expect(nextStop(stops, 1, down)).toBe(1)
})
