import type { LimitEffect } from '@portico/contract/identities'

/** A policy in a test. */
type NaivePolicy = { actions: string[]; conditions: string[]; conditionLogic: 'and' | 'or' }

/** An identity with access to the account: `account` null is a global one. */
export type NaiveIdentity = {
  account: number | null
  isDisabled: boolean
  isAdmin: boolean
  days: string[]
  daysEffect: LimitEffect | null
  hours: number[]
  hoursEffect: LimitEffect | null
  cidr: string | null
  policies: NaivePolicy[]
}

export type NaiveRequest = {
  action: string
  params: string[]
  query: Record<string, unknown>
  body: unknown
  at: Date
  address: string
}

/**
 * Oracle for the evaluator: applies the rules of access in a slow and obvious way. Written from the specification and the
 * product's rules, independently of the evaluator.
 */
export function naivelyAllowed(
  account: { timeZone: string; isSuspended: boolean; lacksTwoFactor: boolean },
  identities: readonly NaiveIdentity[],
  request: NaiveRequest,
): boolean {
  for (const identity of identities) {
    if (!naivelyCounts(account, identity, request)) continue
    for (const policy of identity.policies) if (grants(policy, request)) return true
  }
  return false
}

export function naivelyCounts(
  { timeZone, isSuspended, lacksTwoFactor }: { timeZone: string; isSuspended: boolean; lacksTwoFactor: boolean },
  identity: NaiveIdentity,
  { at, address }: { at: Date; address: string },
): boolean {
  if (identity.isDisabled) return false
  if (lacksTwoFactor) return false
  if (isSuspended && !(identity.account === null && identity.isAdmin)) return false
  // The Swedish format is 2026-03-29 01:59:59.
  const [date = '', time = ''] = at.toLocaleString('sv-SE', { timeZone }).split(' ')
  const weekday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(`${date}T00:00:00Z`).getUTCDay()] ?? ''
  const hour = Number(time.slice(0, 2))
  if (identity.days.length > 0) {
    const isListed = identity.days.includes(weekday)
    if (identity.daysEffect === 'nin' ? isListed : !isListed) return false
  }
  if (identity.hours.length > 0) {
    const isListed = identity.hours.includes(hour)
    if (identity.hoursEffect === 'nin' ? isListed : !isListed) return false
  }
  return identity.cidr === null || lies(address, identity.cidr)
}

function grants({ actions, conditions, conditionLogic }: NaivePolicy, request: NaiveRequest): boolean {
  const [service = '', resource = '', method = ''] = request.action.toLowerCase().split('::')
  const isHeld = actions.some((action) => {
    const [a, b, c, ...more] = action.toLowerCase().split('::')
    const isFit = (held: string | undefined, wanted: string) => held === '*' || held === wanted
    return more.length === 0 && isFit(a, service) && isFit(b, resource) && isFit(c, method)
  })
  if (!isHeld) return false
  if (conditions.length === 0) return true
  const results = conditions.map((condition) => meets(condition, request))
  return conditionLogic === 'and' ? !results.includes(false) : results.includes(true)
}

function meets(condition: string, request: NaiveRequest): boolean {
  const [option = '', key = '', operator = '', ...others] = condition.split('::')
  const wanted = others.join('::').toLowerCase()
  const values = found(option, key, request).map((value) => value.toLowerCase())
  switch (operator) {
    case 'eq':
      return values.some((value) => equal(value, wanted))
    case 'neq':
      return !values.some((value) => equal(value, wanted))
    case 'ct':
      return values.some((value) => value.includes(wanted))
    case 'nct':
      return !values.some((value) => value.includes(wanted))
    case 'sw':
      return values.some((value) => value.indexOf(wanted) === 0)
    case 'nsw':
      return !values.some((value) => value.indexOf(wanted) === 0)
    case 'ew':
      return values.some((value) => value.slice(-wanted.length) === wanted)
    case 'new':
      return !values.some((value) => value.slice(-wanted.length) === wanted)
    case 'in':
      return values.some((value) => listed(value, wanted))
    case 'nin':
      return !values.some((value) => listed(value, wanted))
    case 'regex':
      return found(option, key, request).some((value) => value.length <= 1000 && fitsPattern(value, others.join('::')))
    default:
      return false
  }
}

const listed = (value: string, list: string): boolean =>
  list.split(',').some((item) => item.trim() !== '' && equal(value, item.trim()))

/** The same text, or the same number. */
function equal(one: string, other: string): boolean {
  if (one === other) return true
  const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text))
  return isNumber(one) && isNumber(other) && Number(one) === Number(other)
}

function fitsPattern(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'i').test(value)
  } catch {
    return false
  }
}

function found(option: string, key: string, { params, query, body }: NaiveRequest): string[] {
  if (option === 'param') return params.filter((_, position) => String(position) === key)
  const whole = option === 'query' ? Object.entries(query) : named(body)
  const values = whole
    .filter(([name]) => name === key)
    .flatMap(([, value]) => (option === 'query' ? flat(value) : [value]))
  return values
    .filter((value) => value !== null && value !== undefined)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
}

function flat(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flatMap(flat) : [value]
}

/** Returns all values of a body by dotted name; elements of a list have the name of the list. */
function named(value: unknown, name = ''): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((element) => named(element, name))
  const itself: [string, unknown][] = [[name, value]]
  if (typeof value !== 'object' || value === null) return itself
  return [
    ...itself,
    ...Object.entries(value).flatMap(([key, inner]) => named(inner, name === '' ? key : `${name}.${key}`)),
  ]
}

/** Returns whether the address is in the range. */
function lies(address: string, cidr: string): boolean {
  const [first = '', width] = cidr.split('/')
  const [own, range] = [bits(address), bits(first)]
  if (own === null || range === null || own.length !== range.length) return false
  // An IPv4 range written as IPv6 counts 96 more bits.
  const count =
    width === undefined ? range.length : Number(width) - (first.includes(':') && range.length === 32 ? 96 : 0)
  return own.slice(0, count) === range.slice(0, count)
}

/** Returns 32 or 128 binary digits; IPv4 embedded in IPv6 counts as IPv4. */
function bits(address: string): string | null {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) {
    return address.split('.').reduce((all, part) => all + Number(part).toString(2).padStart(8, '0'), '')
  }
  if (!address.includes(':')) return null
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return bits(mapped)
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const [left, right] = [groups(head), groups(tail ?? '')]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  const all = [...left, ...(tail === undefined ? [] : zeros), ...right]
  return all.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('')
}
