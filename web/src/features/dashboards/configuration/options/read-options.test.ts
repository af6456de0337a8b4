import { expect, test } from 'vitest'
import { readOptions, textOfOptions } from './read-options.ts'

test('empty options are dropped, and unknown ones are kept', () => {
  const { options, error } = readOptions('{"height": 300, "title": "", "legend": null, "animation": {"startup": true}}')
  expect(error).toBeNull()
  expect(options).toEqual({ height: 300, animation: { startup: true } })
})

test.each([
  ['"text"', 'Line 1: Value is invalid!'],
  ['  "', 'Line 1: Value is invalid!'],
  ['', 'Line 1: Value is required!'],
  ['{', 'Line 1: This is not JSON.'],
  ['{\n  "height": 300\n  "fontSize": 12\n}', 'Line 3: This is not JSON.'],
  ['[]', 'Line 1: Enter an object, such as {"height": 250}.'],
  ['12', 'Line 1: Enter an object, such as {"height": 250}.'],
  ['{\n  "pieHole": 1\n}', 'Line 2: pieHole: Value should be greater than 0 and less than 1!'],
  ['{"vAxis": {\n"gridlines": {\n"count": 0}}}', 'Line 3: vAxis.gridlines.count: Enter a whole number.'],
  ['{\n"region": "fr"}', 'Line 2: region: Country code is invalid!'],
])('%j is refused: %s', (text, error) => {
  const read = readOptions(text)
  expect(read.options).toBeNull()
  expect(read.error?.replace(/Enter a number.*/, 'Enter a whole number.')).toBe(error)
})

test('each problem is marked at its option name', () => {
  const text = '{"height": -1,\n "legend": {"position": "up"}}'
  const { problems, parsed } = readOptions(text)
  expect(problems.map(({ from, to }) => text.slice(from, to))).toEqual(['"height"', '"position"'])
  expect(parsed).toEqual({ height: -1, legend: { position: 'up' } })
})

test('written options are read back unchanged', () => {
  const options = { height: 250, legend: { position: 'top' }, colors: ['#1971c2'] }
  expect(readOptions(textOfOptions(options)).options).toEqual(options)
})
