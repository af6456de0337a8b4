import { expect, test } from 'vitest'
import { describeWindow, isOffset, offsetWindow } from './offset-window.ts'
import { windowCondition } from './window-condition.ts'

const zone = 'Europe/Zurich'
/** Wednesday. */
const due = Date.parse('2026-04-01T07:30:00Z')

test.each([
  ['0', '2026-04-01', '2026-04-01', true],
  ['1', '2026-03-31', '2026-03-31', false],
  ['30', '2026-03-02', '2026-03-31', false],
  ['93', '2025-12-29', '2026-03-31', false],
  ['LW', '2026-03-23', '2026-03-29', false],
  ['LM', '2026-03-01', '2026-03-31', false],
  ['LQ', '2026-01-01', '2026-03-31', false],
  ['TW', '2026-03-30', '2026-04-01', true],
  ['TM', '2026-04-01', '2026-04-01', true],
  ['TQ', '2026-04-01', '2026-04-01', true],
])('the offset %s covers %s to %s', (offset, from, to, endsWhenDue) => {
  expect(offsetWindow(offset, due, zone)).toMatchObject({ from, to, endsWhenDue })
})

test('in January, the last quarter and month are in the previous year', () => {
  const january = Date.parse('2027-01-31T23:30:00Z')
  expect(offsetWindow('LQ', january, 'UTC')).toMatchObject({ from: '2026-10-01', to: '2026-12-31' })
  expect(offsetWindow('LM', january, 'UTC')).toMatchObject({ from: '2026-12-01', to: '2026-12-31' })
  // In Zurich it is February 1 by then.
  expect(offsetWindow('LM', january, zone)).toMatchObject({ from: '2027-01-01', to: '2027-01-31' })
})

test('days are whole even when the clocks change', () => {
  const { start, end } = offsetWindow('LM', due, zone)
  expect(new Date(start).toISOString()).toBe('2026-02-28T23:00:00.000Z')
  expect(new Date(end).toISOString()).toBe('2026-03-31T22:00:00.000Z')
})

test('a window that includes the due day ends at the due moment', () => {
  expect(offsetWindow('TW', due, zone).end).toBe(due)
  expect(offsetWindow('0', due, zone)).toMatchObject({ start: Date.parse('2026-03-31T22:00:00Z'), end: due })
})

test('the window is described in days', () => {
  const december = Date.parse('2026-12-01T08:30:00Z')
  expect(describeWindow('30', december, zone)).toBe('A run on Dec 1 takes Nov 1 to Nov 30.')
  expect(describeWindow('1', december, zone)).toBe('A run on Dec 1 takes Nov 30.')
  expect(describeWindow('0', december, zone)).toBe('A run on Dec 1 takes that day up to 9:30 AM.')
  expect(describeWindow('TW', december, zone)).toBe('A run on Dec 1 takes Nov 30 to Dec 1, 9:30 AM.')
})

test('the description has no time of day for fields of days', () => {
  const december = Date.parse('2026-12-01T08:30:00Z')
  const days = (offset: string) => describeWindow(offset, december, zone, ['day'])
  expect(days('30')).toBe('A run on Dec 1 takes Nov 1 to Nov 30.')
  expect(days('1')).toBe('A run on Dec 1 takes Nov 30.')
  expect(days('0')).toBe('A run on Dec 1 takes that day.')
  expect(days('TW')).toBe('A run on Dec 1 takes Nov 30 to Dec 1.')
  const both = (offset: string) => describeWindow(offset, december, zone, ['day', 'date'])
  expect(both('0')).toBe('A run on Dec 1 takes that day (times up to 9:30 AM).')
  expect(both('TW')).toBe('A run on Dec 1 takes Nov 30 to Dec 1 (times up to 9:30 AM).')
  expect(both('LM')).toBe('A run on Dec 1 takes Nov 1 to Nov 30.')
})

test('the condition has plain dates for days, and bounds in the time zone for moments', () => {
  const window = offsetWindow('2', due, zone)
  expect(windowCondition(window, 'day')).toEqual({ $gte: '2026-03-30', $lte: '2026-03-31' })
  expect(windowCondition(window, 'date')).toEqual({ $gte: '2026-03-29T22:00:00.000Z', $lt: '2026-03-31T22:00:00.000Z' })
  // The window includes the whole due day, as a day.
  const dueDay = offsetWindow('0', due, zone)
  expect(windowCondition(dueDay, 'day')).toEqual({ $gte: '2026-04-01', $lte: '2026-04-01' })
  expect(windowCondition(dueDay, 'date')).toEqual({ $gte: '2026-03-31T22:00:00.000Z', $lt: '2026-04-01T07:30:00.000Z' })
})

test('valid and invalid offsets are distinguished', () => {
  for (const offset of ['0', '1', '2', '3', '4', '7', '15', '30', '93', 'LW', 'LM', 'LQ', 'TW', 'TM', 'TQ']) {
    expect(isOffset(offset)).toBe(true)
  }
  for (const offset of ['', '94', '-1', '04', '1.5', 'lw', 'LD', 'toString']) expect(isOffset(offset)).toBe(false)
  expect(() => offsetWindow('94', due, zone)).toThrow(RangeError)
})
