import type { LimitEffect } from '@portico/contract/identities'
import { ReadText } from '@portico/contract/read-text'
import { foldName, foldText } from '@portico/domain/names'

/** A policy in a test. */
type NaivePolicy = { actions: string[]; conditions: string[]; conditionLogic: 'and' | 'or' }

/** An identity with access to the account; a global one if `account` is null. */
export type NaiveIdentity = {
  account: number | null
  homeZone: string | null
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
 * Oracle for the evaluator: applies the rules of access in a slow and obvious way. Written from the specification and
 * the product's rules, independently of the evaluator.
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
  const [date = '', time = ''] = at.toLocaleString('sv-SE', { timeZone: identity.homeZone ?? timeZone }).split(' ')
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
  const all = found(option, key, request)
  const values = all.filter((value) => value !== null).map((value) => value.toLowerCase())
  /** Returns whether every element of a list passes the test, and there is at least one. */
  const every = (test: (value: string) => boolean) =>
    all.length > 0 && values.length === all.length && values.every(test)
  /** Returns whether no element passes the test, neither unchanged nor as names compare. */
  const none = (test: (value: string, denied: string) => boolean) => {
    const text = others.join('::')
    const folded = operator === 'neq' ? foldName(text) : foldText(text)
    return !values.some((value) => test(value, wanted) || test(foldName(value), folded))
  }
  switch (operator) {
    case 'eq':
      return every((value) => equal(value, wanted))
    case 'neq':
      return none(equal)
    case 'ct':
      return every((value) => value.includes(wanted))
    case 'nct':
      return none((value, denied) => value.includes(denied))
    case 'sw':
      return every((value) => value.indexOf(wanted) === 0)
    case 'nsw':
      return none((value, denied) => value.indexOf(denied) === 0)
    case 'ew':
      return every((value) => value.slice(-wanted.length) === wanted)
    case 'new':
      return none((value, denied) => value.slice(-denied.length) === denied)
    case 'in':
      return every((value) => listed(value, wanted))
    case 'nin':
      return none(listed)
    case 'regex': {
      const pattern = others.join('::')
      return (
        every(() => true) && all.every((value) => value !== null && value.length <= 1000 && fitsPattern(value, pattern))
      )
    }
    default:
      return false
  }
}

const listed = (value: string, list: string): boolean =>
  list.split(',').some((item) => item.trim() !== '' && equal(value, item.trim()))

/** Returns whether both are the same text, or the same number. */
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

/** Returns the values as text; null for an element of a list that has none. */
function found(option: string, key: string, { params, query, body }: NaiveRequest): (string | null)[] {
  if (option === 'param') return params.filter((_, position) => String(position) === key)
  const values = option === 'query' ? (key in query ? flat(query[key]) : []) : at(body, key)
  return values.map((value) => {
    if (value instanceof ReadText) return value.text
    return value === null || typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/** Returns the elements of a list, null for those without a value; empty for no value. */
function flat(value: unknown): unknown[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) return [value]
  return value.flatMap((element) => orNull(flat(element)))
}

/** Returns all values of a body at a dotted name, within every element of a list. */
function at(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => orNull(at(element, name)))
  if (value instanceof ReadText) return at(value.value, name)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const [own, asked] = [foldName(key), foldName(name)]
    if (own === asked) return flat(inner)
    return asked.startsWith(`${own}.`) ? at(inner, name.slice(key.length + 1)) : []
  })
}

const orNull = (values: unknown[]): unknown[] => (values.length > 0 ? values : [null])

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
