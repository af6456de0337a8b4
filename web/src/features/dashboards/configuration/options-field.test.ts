import { expect, test } from 'vitest'
import { readFigure, withFigure } from './kpi-figure.ts'
import { readOptions } from './options-field.tsx'

test('empty options are dropped, and a text that starts with a quote is refused', () => {
  expect(readOptions('{"height": 300, "title": "", "legend": null}')).toMatchObject({
    problem: expect.any(String) as string,
  })
  expect(readOptions('{"height": 300, "title": ""}')).toEqual({ options: { height: 300 }, problem: null })
  expect(readOptions('"text"').problem).toBe('Value is invalid!')
  expect(readOptions('{"pieHole": 1}').problem).toBe('pieHole: Value should be greater than 0 and less than 1!')
  expect(readOptions('{').options).toBeNull()
})

test('the figure of a tile is its last stage', () => {
  const which = [{ $match: { City: 'Oslo' } }]
  const sum = withFigure(which, { operator: 'sum', field: 'Age' })
  expect(readFigure(sum)).toEqual({ figure: { operator: 'sum', field: 'Age' }, which })
  expect(withFigure(which, { operator: 'count', field: null })).toEqual(which)
  expect(readFigure(which)).toEqual({ figure: { operator: 'count', field: null }, which })
})
