import { expect, test } from 'vitest'
import { dayPresets, earliestDay, isDay, periodBefore, rangeOf, rangePresets, usualRangeDays } from './days.ts'

test('the presets, the earliest day and the default range match the specification', () => {
  expect(Object.entries({ ...rangePresets, ...dayPresets })).toEqual([
    ['6', 'Last 7 days'],
    ['13', 'Last 14 days'],
    ['29', 'Last 30 days'],
    ['TM', 'Current Month'],
    ['LM', 'Last Month'],
    ['T', 'Today'],
    ['Y', 'Yesterday'],
  ])
  expect(earliestDay).toBe('2012-02-01')
  expect(usualRangeDays).toBe(30)
})

test.each([
  ['6', '2026-02-23', '2026-03-01'],
  ['13', '2026-02-16', '2026-03-01'],
  ['29', '2026-01-31', '2026-03-01'],
  ['TM', '2026-03-01', '2026-03-01'],
  ['LM', '2026-02-01', '2026-02-28'],
  ['T', '2026-03-01', '2026-03-01'],
  ['Y', '2026-02-28', '2026-02-28'],
] as const)('on March 1 the preset %s is from %s to %s', (preset, from, to) => {
  expect(rangeOf(preset, '2026-03-01')).toEqual({ from, to })
})

test('the previous period has the same length and ends the day before', () => {
  expect(periodBefore({ from: '2026-03-01', to: '2026-03-07' })).toEqual({ from: '2026-02-22', to: '2026-02-28' })
})

test('only existing dates are days', () => {
  expect(['2024-02-29', '2026-02-29', '2026-2-1'].map(isDay)).toEqual([true, false, false])
})
