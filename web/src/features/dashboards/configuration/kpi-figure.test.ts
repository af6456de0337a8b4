import { expect, test } from 'vitest'
import { readFigure, withFigure } from './kpi-figure.ts'

test('the figure of a tile is its last stage', () => {
  const which = [{ $match: { City: 'Oslo' } }]
  const sum = withFigure(which, { operator: 'sum', field: 'Age' })
  expect(readFigure(sum)).toEqual({ figure: { operator: 'sum', field: 'Age' }, which })
  expect(withFigure(which, { operator: 'count', field: null })).toEqual(which)
  expect(readFigure(which)).toEqual({ figure: { operator: 'count', field: null }, which })
})
