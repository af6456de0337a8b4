import { expect, test } from 'vitest'
import {
  formatCount,
  formatDate,
  formatDay,
  exactFigure,
  formatDuration,
  formatFigure,
  formatFileSize,
  formatNumber,
  formatRate,
} from './formats.ts'

test.each([
  [1234.5678, '1,234.57', '1,234.5678'],
  [-0.123456, '-0.123', '-0.123456'],
  [0.000012345, '0.0000123', '0.000012345'],
  [0.1 + 0.2, '0.3', undefined],
  [7, '7', undefined],
  [1000.1, '1,000.1', undefined],
])('the figure %d is shown as %s, in full as %s', (value, text, exact) => {
  expect([formatFigure(value), exactFigure(value)]).toEqual([text, exact])
})

test('dates have the format M/d/yyyy h:mm:ss a in local time', () => {
  expect(formatDate(new Date(2026, 10, 5, 0, 3, 9))).toBe('11/5/2026 12:03:09 AM')
  expect(formatDate(new Date(2026, 0, 31, 12, 0, 0))).toBe('1/31/2026 12:00:00 PM')
  expect(formatDate(new Date(2026, 0, 31, 23, 59, 59).toISOString())).toBe('1/31/2026 11:59:59 PM')
})

test('dates in a time zone show the day there', () => {
  const midnight = '1995-02-08T05:00:00Z'
  expect(formatDate(midnight, 'America/New_York')).toBe('2/8/1995 12:00:00 AM')
  expect(formatDate(midnight, 'America/Los_Angeles')).toBe('2/7/1995 9:00:00 PM')
  expect(formatDate(midnight, 'Asia/Kolkata')).toBe('2/8/1995 10:30:00 AM')
})

test('a time zone unknown to the browser falls back to local time', () => {
  const noon = new Date(2026, 0, 31, 12, 0, 0)
  expect(formatDate(noon, 'Europe/Atlantis')).toBe('1/31/2026 12:00:00 PM')
})

test('invalid dates are shown unchanged, and missing ones as empty text', () => {
  expect(formatDate('soon')).toBe('soon')
  expect(formatDate(null)).toBe('')
  expect(formatDate('')).toBe('')
})

test('numbers have thousands separators and keep their decimals', () => {
  expect(formatNumber(1234567.891)).toBe('1,234,567.891')
  expect(formatNumber(-0.5)).toBe('-0.5')
  expect(formatNumber(0.1 + 0.2)).toBe('0.3')
  expect(formatNumber(10 / 3)).toBe('3.33333333333333')
  expect(formatNumber(4_155_550_134_000_001)).toBe('4,155,550,134,000,001')
})

test.each([
  [0, '0 B'],
  [512, '512 B'],
  [1500, '1.5 kB'],
  [999_949, '999.9 kB'],
  [999_960, '1 MB'],
  [2_345_678, '2.3 MB'],
  [5e12, '5 TB'],
  [5e16, '50,000 TB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(formatFileSize(bytes)).toBe(text)
})

test.each([
  [0, '0 sec'],
  [-5, '0 sec'],
  [4_400, '4 sec'],
  [125_000, '2 min 5 sec'],
  [7_200_000, '2 h'],
  [12_000_000, '3 h 20 min'],
  [90_061_000, '1 d 1 h'],
])('%d ms are shown as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test('speed is in records per hour, and missing without a time', () => {
  expect(formatRate(1000, 3_600)).toBe('1,000,000 records/hour')
  expect(formatRate(1000, 0)).toBe('')
})

test('a count of one is singular', () => {
  expect(formatCount(1, 'contact')).toBe('1 contact')
  expect(formatCount(1234, 'contact')).toBe('1,234 contacts')
  expect(formatCount(0, 'entry', 'entries')).toBe('0 entries')
})

test('a day is shown without a time or time zone', () => {
  expect(formatDay('2026-01-31')).toBe('1/31/2026')
  expect(formatDay('soon')).toBe('soon')
})
