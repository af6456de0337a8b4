import { expect, test } from 'vitest'
import { datePartText } from '../dashboards/date-part-words.ts'
import { alternatives } from './alternatives.ts'
import { readGrouping, readShownGrouping } from './grouping.ts'
import { periodOf, periodsFrom, rangesOf } from './periods.ts'
import type { Row, Term } from './pipeline.ts'
import { parsePipeline, writePipeline } from './pipeline-json.ts'

const fields = [
  { name: 'City', type: 'string' as const },
  { name: 'Joined', type: 'date' as const },
  { name: 'Born', type: 'day' as const },
]
const cut = (unit: string, field = 'Joined') => ({ $dateTrunc: { date: `$${field}`, unit } })
const grouped = (key: unknown, ...later: Row[]) =>
  readGrouping(parsePipeline([{ $group: { _id: key, n: { $count: {} } } }, ...later]), fields)

test.each([
  ['2026-10-07', 'by day', '2026-10-07', '2026-10-07', 'Oct 7, 2026'],
  ['2026-10-07', 'by week', '2026-10-05', '2026-10-11', 'Week of Oct 5, 2026'],
  // A Sunday ends its week, and a week may begin in the year before.
  ['2026-10-11', 'by week', '2026-10-05', '2026-10-11', 'Week of Oct 5, 2026'],
  ['2027-01-01', 'by week', '2026-12-28', '2027-01-03', 'Week of Dec 28, 2026'],
  ['9999-12-30', 'by week', '9999-12-27', '9999-12-31', 'Week of Dec 27, 9999'],
  ['2024-02-10', 'by month', '2024-02-01', '2024-02-29', 'Feb 2024'],
  ['2026-12-31', 'by month', '2026-12-01', '2026-12-31', 'Dec 2026'],
  ['2026-12-31', 'by quarter', '2026-10-01', '2026-12-31', 'Q4 2026'],
  ['2026-04-01', 'by quarter', '2026-04-01', '2026-06-30', 'Q2 2026'],
  ['2026-07-04', 'by year', '2026-01-01', '2026-12-31', '2026'],
] as const)('%s %s is from %s to %s, and reads %s', (day, period, from, to, text) => {
  expect(periodOf(day, period)).toEqual({ from, to })
  expect(datePartText(from, period)).toBe(text)
})

test('a text that is no day is shown as it is', () => expect(datePartText('soon', 'by month')).toBe('soon'))

test('periods follow each other from the first to the last, unless there are too many', () => {
  expect(periodsFrom('2025-11-01', '2026-02-01', 'by month', 9)).toEqual([
    '2025-11-01',
    '2025-12-01',
    '2026-01-01',
    '2026-02-01',
  ])
  expect(periodsFrom('2026-12-28', '2027-01-04', 'by week', 9)).toEqual(['2026-12-28', '2027-01-04'])
  expect(periodsFrom('9998-01-01', '9999-01-01', 'by year', 9)).toEqual(['9998-01-01', '9999-01-01'])
  expect(periodsFrom('2026-01-01', '2026-01-04', 'by day', 3)).toBeNull()
})

test('periods next to each other are one range, in whatever order they are chosen', () => {
  expect(rangesOf(['2026-03-01', '2026-01-01', '2026-02-01', '2025-07-01'], 'by month')).toEqual([
    { from: '2025-07-01', to: '2025-07-31' },
    { from: '2026-01-01', to: '2026-03-31' },
  ])
})

test.each([
  ['contacts', cut('month'), 'by month', 'Joined'],
  ['days', cut('week', 'Born'), 'by week', 'Born'],
  ['events', { $dateTrunc: { unit: 'quarter', date: '$events.event_date' } }, 'by quarter', 'events.event_date'],
])('a period of %s is a key of groups', (_of, key, part, field) => {
  expect(grouped(key)?.keys).toEqual([{ name: '_id', field, part, type: 'day' }])
})

test('a period is written as it was read', () => {
  const stages = [{ $group: { _id: { 'Joined by day': cut('day'), City: '$City' }, n: { $count: {} } } }]
  expect(writePipeline(parsePipeline(stages))).toEqual(stages)
})

test.each([
  ['another unit', cut('decade')],
  ['a further option', { $dateTrunc: { date: '$Joined', unit: 'week', startOfWeek: 'sunday' } }],
  ['what is no field', { $dateTrunc: { date: { $toString: '$Joined' }, unit: 'day' } }],
  ['no object', { $dateTrunc: '$Joined' }],
  ['a text', cut('month', 'City')],
])('a period of %s is no key that a click could narrow to', (_what, key) => {
  const [stage] = parsePipeline([{ $group: { _id: key } }])
  expect(writePipeline(stage ? [stage] : [])).toEqual([{ $group: { _id: key } }])
  expect(grouped(key)).toBeNull()
})

test('groups of groups know the days of a period', () => {
  const first = { $group: { _id: { M: cut('month') }, n: { $count: {} } } }
  const shown = (key: unknown) => readShownGrouping(parsePipeline([first, { $group: { _id: key } }]), fields)?.keys
  expect(shown('$M')).toMatchObject([{ part: null, type: 'day' }])
  expect(shown(cut('year', 'M'))).toMatchObject([{ part: 'by year', type: 'day' }])
})

test.each([
  ['the first in order', [{ $sort: { M: -1 } }, { $limit: 5 }], true],
  ['the first as they come', [{ $skip: 1 }, { $limit: 5 }], true],
  ['the largest', [{ $sort: { n: -1 } }, { $limit: 5 }], undefined],
  ['some', [{ $match: { n: 1 } }, { $limit: 5 }], undefined],
])('a limit that keeps %s may have left out groups between others: %s', (_which, later, isRun) => {
  expect(grouped({ M: cut('month') }, ...later)?.isRun).toBe(isRun)
})

const chosen = (key: unknown, rows: unknown[][]) => {
  const grouping = grouped(key)
  if (!grouping) throw new Error('no grouping')
  return alternatives(grouping, rows).map(({ contacts, events }) =>
    writePipeline([{ kind: 'match', condition: [...contacts, ...events] as Term[] }]),
  )
}

test('a period that is chosen is its days, as conditions that the filter builder shows', () => {
  expect(chosen(cut('quarter'), [['2026-10-01']])).toEqual([
    [{ $match: { $and: [{ Joined: { $gte: '2026-10-01' } }, { Joined: { $lte: '2026-12-31' } }] } }],
  ])
  expect(chosen(cut('month'), [[null]])).toEqual([[{ $match: { Joined: null } }]])
  // The filter says why that is no date.
  expect(chosen(cut('month'), [['soon']])).toEqual([[{ $match: { Joined: 'soon' } }]])
  expect(chosen(cut('month'), [[7]])).toEqual([[{ $match: { Joined: 7 } }]])
})

test('many periods of one field, or with values of another, are lists that a filter takes', () => {
  const days = Array.from({ length: 400 }, (_, at) =>
    new Date(Date.UTC(2020, 0, 1 + 2 * at)).toISOString().slice(0, 10),
  )
  const parts = { $and: [{ Joined: { $year: 2020 } }, { Joined: { $month: 1 } }, { Joined: { $dayOfMonth: 1 } }] }
  const [alone] = chosen(
    cut('day'),
    days.map((day) => [day]),
  )
  expect(JSON.stringify(alone)).toContain(`{"$or":[${JSON.stringify(parts)},`)
  const both = chosen(
    { D: cut('day'), City: '$City' },
    days.map((day, at) => [day, `City ${at}`]),
  )
  expect(both).toHaveLength(400)
  expect(JSON.stringify(both[0])).toContain('{"City":"City 0"}')
  expect(JSON.stringify(both[0])).toContain('{"$dayOfMonth":1}')
})
