import { expect, test } from 'vitest'
import { newChart } from './cell-kinds.ts'
import { problemsOf } from './chart-problems.ts'
import { readFigure, withFigure, withTemplate } from './kpi-figure.ts'

test('the figure of a tile is the last stage of its filter', () => {
  const which = [{ $match: { City: 'Oslo' } }]
  const sum = withFigure(which, { operator: 'sum', field: 'Age' })
  expect(readFigure(sum)).toEqual({ figure: { operator: 'sum', field: 'Age' }, which })
  expect(withFigure(which, { operator: 'count', field: null })).toEqual(which)
  expect(readFigure(which)).toEqual({ figure: { operator: 'count', field: null }, which })
})

test('a value that cannot be chosen is kept until another one is', () => {
  const which = [{ $match: { City: 'Oslo' } }]
  const some = { $sum: { $cond: { if: { Age: { $gt: 18 } }, then: 1 } } }
  for (const value of [some, { $divide: [some, { $count: {} }] }]) {
    const stages = [...which, { $group: { _id: null, value } }]
    const { figure } = readFigure(stages)
    expect(figure.operator).toBe('stored')
    expect(withFigure(which, figure)).toEqual(stages)
  }
})

test('a tile is complete with every template, even when switching from the ratio with its divisor', () => {
  const tile = newChart('KPI', undefined)
  const ratio = { ...tile, ...withTemplate(tile, 'ratio-with-master-date-range') }
  expect(problemsOf(ratio)).toEqual([])
  expect(ratio.filter2).toEqual({ standard: [] })
  expect(problemsOf({ ...ratio, ...withTemplate(ratio, 'kpi-1') })).toEqual([])
})
