import { describe, expect, test } from 'vitest'
import { isSameAddress, isWithin, judgeLimits, limitInWords, type Limits } from './limit.ts'

const none: Limits = { days: [], daysEffect: null, hours: [], hoursEffect: null, cidr: null }
const address = '203.0.113.7'

function isMet(limits: Partial<Limits>, at: string, timeZone = 'UTC', from = address): boolean {
  return judgeLimits({ ...none, ...limits }, timeZone, { at: new Date(at), address: from }).every(
    (check) => check.isMet,
  )
}

test('without limits there are no checks', () => {
  expect(judgeLimits(none, 'UTC', { at: new Date(), address })).toEqual([])
})

describe('days', () => {
  test('are judged in the given time zone', () => {
    // Monday in Auckland while it is Sunday in London.
    const at = '2026-06-14T13:00:00Z'
    expect(isMet({ days: ['mon'], daysEffect: 'in' }, at, 'Pacific/Auckland')).toBe(true)
    expect(isMet({ days: ['mon'], daysEffect: 'in' }, at, 'Europe/London')).toBe(false)
  })

  test('with the effect nin are those on which access is refused', () => {
    expect(isMet({ days: ['sat', 'sun'], daysEffect: 'nin' }, '2026-06-14T13:00:00Z')).toBe(false)
    expect(isMet({ days: ['sat', 'sun'], daysEffect: 'nin' }, '2026-06-15T13:00:00Z')).toBe(true)
  })
})

describe('hours', () => {
  const nine = { hours: [9], hoursEffect: 'in' as const }

  test('begin with the hour and end before the next', () => {
    expect(isMet(nine, '2026-06-15T08:59:59.999Z')).toBe(false)
    expect(isMet(nine, '2026-06-15T09:00:00Z')).toBe(true)
    expect(isMet(nine, '2026-06-15T09:59:59.999Z')).toBe(true)
    expect(isMet(nine, '2026-06-15T10:00:00Z')).toBe(false)
  })

  test('follow daylight saving: 9 in Zurich is 8 UTC in winter and 7 UTC in summer', () => {
    expect(isMet(nine, '2026-03-28T08:30:00Z', 'Europe/Zurich')).toBe(true)
    expect(isMet(nine, '2026-03-29T07:30:00Z', 'Europe/Zurich')).toBe(true)
    expect(isMet(nine, '2026-03-29T08:30:00Z', 'Europe/Zurich')).toBe(false)
  })

  test('skipped by daylight saving never match, and repeated ones match twice', () => {
    const two = { hours: [2], hoursEffect: 'in' as const }
    const minutesOf = (day: string) =>
      Array.from({ length: 24 * 60 }, (_, minute) => new Date(Date.parse(`${day}T00:00:00Z`) + minute * 60_000)).filter(
        (at) => isMet(two, at.toISOString(), 'Europe/Zurich'),
      ).length
    expect(minutesOf('2026-03-29')).toBe(0)
    expect(minutesOf('2026-10-25')).toBe(120)
    expect(minutesOf('2026-06-15')).toBe(60)
  })

  test('start at 0 for midnight, and support zones with half-hour offsets', () => {
    expect(isMet({ hours: [0], hoursEffect: 'in' }, '2026-06-15T00:10:00Z')).toBe(true)
    expect(isMet({ hours: [9], hoursEffect: 'in' }, '2026-06-15T03:30:00Z', 'Asia/Kolkata')).toBe(true)
    expect(isMet({ hours: [9], hoursEffect: 'in' }, '2026-06-15T03:29:00Z', 'Asia/Kolkata')).toBe(false)
  })

  test('with the effect nin are those in which access is refused', () => {
    expect(isMet({ hours: [9], hoursEffect: 'nin' }, '2026-06-15T09:10:00Z')).toBe(false)
    expect(isMet({ hours: [9], hoursEffect: 'nin' }, '2026-06-15T10:10:00Z')).toBe(true)
  })
})

describe('an address', () => {
  test.each([
    ['10.1.2.3', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '10.1.2.99/24'],
    ['255.1.2.3', '0.0.0.0/0'],
    ['::ffff:10.1.2.3', '10.0.0.0/8'],
    ['::FFFF:0a01:0203', '10.0.0.0/8'],
    ['10.1.2.3', '::ffff:10.0.0.0/104'],
    ['2001:db8::7', '2001:db8::/32'],
    ['2001:0DB8:0:0::7', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::/10'],
    ['::1', '::1/128'],
  ])('%s is in %s', (one, range) => expect(isWithin(one, range)).toBe(true))

  test.each([
    ['11.1.2.3', '10.0.0.0/8'],
    ['10.1.2.4', '10.1.2.3'],
    ['10.1.2.3', '2001:db8::/32'],
    ['2001:db9::7', '2001:db8::/32'],
    ['2001:db8::7', '0.0.0.0/0'],
    ['10.1.2.3', '::/0'],
    ['10.1', '10.0.0.0/8'],
    ['unknown', '0.0.0.0/0'],
    ['', '0.0.0.0/0'],
    ['10.0.0.1', '10.1'],
    ['10.0.0.1', '10.0.0.0/33'],
    ['10.0.0.1', '010.0.0.1'],
    ['10.0.0.1', 'everywhere'],
  ])('%s is not in %s', (one, range) => expect(isWithin(one, range)).toBe(false))

  test('of the local machine is the same in every notation', () => {
    expect(isSameAddress('::1', '127.0.0.1')).toBe(true)
    expect(isSameAddress('127.0.0.1', '::ffff:127.0.0.1')).toBe(true)
    expect(isSameAddress('203.0.113.7', '::ffff:203.0.113.7')).toBe(true)
    expect(isSameAddress('2001:db8::1', '2001:0db8:0::1')).toBe(true)
    expect(isSameAddress('203.0.113.7', '203.0.113.8')).toBe(false)
    expect(isSameAddress('127.0.0.1', '203.0.113.8')).toBe(false)
    expect(isSameAddress('x', 'x')).toBe(false)
  })
})

describe('in words', () => {
  const days = (limits: Partial<Limits>) => limitInWords('days', { ...none, ...limits }, 'UTC')
  const hours = (limits: Partial<Limits>) => limitInWords('hours', { ...none, ...limits }, 'Europe/Zurich')

  test('consecutive days and hours are joined into ranges', () => {
    expect(days({ days: ['mon', 'tue', 'wed', 'thu', 'fri'], daysEffect: 'in' })).toBe('Monday to Friday (UTC)')
    expect(days({ days: ['sun', 'mon', 'wed'], daysEffect: 'nin' })).toBe('not Wednesday, Sunday to Monday (UTC)')
    expect(days({ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] })).toBe('Monday to Sunday (UTC)')
    expect(hours({ hours: [22, 23, 0, 1], hoursEffect: 'nin' })).toBe('not 22:00 to 02:00 (Europe/Zurich)')
    expect(hours({ hours: [23, 8, 9, 13], hoursEffect: 'in' })).toBe(
      '08:00 to 10:00, 13:00 to 14:00, 23:00 to 24:00 (Europe/Zurich)',
    )
    expect(limitInWords('cidr', { ...none, cidr: '10.0.0.0/8' }, 'UTC')).toBe('10.0.0.0/8')
  })
})
