import { type Day, days, isCidr, type LimitEffect } from '@portico/contract/identities'
import { memoized } from '@portico/domain/memoized'
import ipaddr from 'ipaddr.js'

/** The times and addresses at which an identity counts. An empty list or null means no limit. */
export type Limits = {
  days: readonly Day[]
  daysEffect: LimitEffect | null
  /** Hours of the day, 0 to 23. */
  hours: readonly number[]
  hoursEffect: LimitEffect | null
  /** An address or a range. */
  cidr: string | null
}

/** Time and address of a request. */
export type Moment = { at: Date; address: string }

/** Whether a moment is within one limit of an identity. */
export type LimitCheck = { limit: 'days' | 'hours' | 'cidr'; isMet: boolean }

/** Checks each limit that is set. Days and hours are local to `timeZone`, an IANA name. */
export function judgeLimits(limits: Limits, timeZone: string, { at, address }: Moment): LimitCheck[] {
  const checks: LimitCheck[] = []
  if (limits.days.length > 0 || limits.hours.length > 0) {
    const { day, hour } = clockIn(timeZone, at)
    if (limits.days.length > 0) {
      checks.push({ limit: 'days', isMet: limits.days.includes(day) === (limits.daysEffect !== 'nin') })
    }
    if (limits.hours.length > 0) {
      checks.push({ limit: 'hours', isMet: limits.hours.includes(hour) === (limits.hoursEffect !== 'nin') })
    }
  }
  if (limits.cidr) checks.push({ limit: 'cidr', isMet: isWithin(address, limits.cidr) })
  return checks
}

/**
 * A limit in words: `Monday to Friday (UTC)`, `not 22:00 to 06:00 (Europe/Zurich)`, `10.0.0.0/8`. If the zone is null,
 * it is left out.
 */
export function limitInWords(limit: LimitCheck['limit'], limits: Limits, timeZone: string | null): string {
  if (limit === 'cidr') return limits.cidr ?? ''
  const [chosen, effect] =
    limit === 'days'
      ? [
          runs(
            limits.days.map((day) => days.indexOf(day)),
            days.length,
          ).map(daysInWords),
          limits.daysEffect,
        ]
      : [runs(limits.hours, 24).map(hoursInWords), limits.hoursEffect]
  const named = timeZone === null ? '' : ` (${timeZone})`
  return `${effect === 'nin' ? 'not ' : ''}${chosen.join(', ')}${named}`
}

/**
 * Whether an address is in a range. IPv4 mapped to IPv6 (`::ffff:10.1.2.3`) counts as IPv4; false for an invalid
 * address.
 */
export function isWithin(address: string, cidr: string): boolean {
  const [from, range] = [parseAddress(address), parseRange(cidr)]
  return from !== null && range !== null && isInRange(from, range.first, range.bits)
}

/** Null when the text is not a range. */
function parseRange(cidr: string): { first: Address; bits: number } | null {
  // Checked first, since the library also accepts `127.1` and `010.0.0.1`.
  if (!isCidr(cidr)) return null
  const [first = '', bits] = cidr.split('/')
  const range = ipaddr.parse(first)
  const width = bits === undefined ? null : Number(bits)
  if (range instanceof ipaddr.IPv6 && range.isIPv4MappedAddress() && (width === null || width >= 96)) {
    return { first: range.toIPv4Address(), bits: width === null ? 32 : width - 96 }
  }
  return { first: range, bits: width ?? (range.kind() === 'ipv4' ? 32 : 128) }
}

/** Whether every moment and address within `inner` is certainly within `outer` too, in any time zone. */
export function areWithin(inner: Limits, outer: Limits): boolean {
  return (
    areChosenWithin(days, [inner.days, inner.daysEffect], [outer.days, outer.daysEffect]) &&
    areChosenWithin(hoursOfDay, [inner.hours, inner.hoursEffect], [outer.hours, outer.hoursEffect]) &&
    isRangeWithin(inner.cidr, outer.cidr)
  )
}

const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour)

function areChosenWithin<T>(
  all: readonly T[],
  [inner, innerEffect]: [readonly T[], LimitEffect | null],
  [outer, outerEffect]: [readonly T[], LimitEffect | null],
): boolean {
  const isIn = (one: T, chosen: readonly T[], effect: LimitEffect | null): boolean =>
    chosen.length === 0 || chosen.includes(one) === (effect !== 'nin')
  return all.every((one) => !isIn(one, inner, innerEffect) || isIn(one, outer, outerEffect))
}

function isRangeWithin(inner: string | null, outer: string | null): boolean {
  if (!outer) return true
  const [within, around] = [parseRange(inner ?? ''), parseRange(outer)]
  if (within === null || around === null) return false
  return within.bits >= around.bits && isInRange(within.first, around.first, around.bits)
}

/** Each limit that is set, in words: `Monday to Friday (UTC)`, `10.0.0.0/8`. If the zone is null, it is left out. */
export function eachLimitInWords(limits: Limits, timeZone: string | null): string[] {
  const each: LimitCheck['limit'][] = [
    ...(limits.days.length > 0 ? (['days'] as const) : []),
    ...(limits.hours.length > 0 ? (['hours'] as const) : []),
    ...(limits.cidr ? (['cidr'] as const) : []),
  ]
  return each.map((limit) => limitInWords(limit, limits, timeZone))
}

/** All limits that are set, in words: `Monday to Friday, 10.0.0.0/8`. The time zone is that of each account. */
export const limitsInWords = (limits: Limits): string => eachLimitInWords(limits, null).join(', ')

/** Whether two texts are the same address, in any notation. All loopback addresses are the same. */
export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [parseAddress(one), parseAddress(other)]
  if (first === null || second === null) return false
  if (first.range() === 'loopback' && second.range() === 'loopback') return true
  return first.toNormalizedString() === second.toNormalizedString()
}

type Address = ipaddr.IPv4 | ipaddr.IPv6

function isInRange(address: Address, range: Address, bits: number): boolean {
  return address.kind() === range.kind() && address.match(range, bits)
}

/** Null when it is not an address. */
function parseAddress(text: string): Address | null {
  // A link-local address may have the name of the interface appended.
  const [address = ''] = text.split('%')
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)
  return isAddress ? ipaddr.process(address) : null
}

const clockOf = memoized(
  1000,
  (timeZone) => new Intl.DateTimeFormat('en', { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' }),
)

function clockIn(timeZone: string, at: Date): { day: Day; hour: number } {
  const parts = clockOf(timeZone).formatToParts(at)
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? ''
  // The lowercase English short names are the values of `Day`.
  return { day: part('weekday').toLowerCase() as Day, hour: Number(part('hour')) }
}

/** The first and last of each run of consecutive numbers, wrapping around the clock (or the week). */
function runs(numbers: readonly number[], cycle: number): [number, number][] {
  const chosen = new Set(numbers)
  const sorted = [...chosen].toSorted((one, other) => one - other)
  if (sorted.length === cycle) return [[0, cycle - 1]]
  return sorted
    .filter((number) => !chosen.has((number + cycle - 1) % cycle))
    .map((first) => {
      let last = first
      while (chosen.has((last + 1) % cycle)) last = (last + 1) % cycle
      return [first, last]
    })
}

const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

function daysInWords([first, last]: [number, number]): string {
  return first === last ? `${dayNames[first]}` : `${dayNames[first]} to ${dayNames[last]}`
}

function hoursInWords([first, last]: [number, number]): string {
  const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
  return `${clock(first)} to ${clock(last === 23 ? 24 : last + 1)}`
}
