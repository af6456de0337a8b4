import type { Stages } from '@portico/contract/filter'
import type { Limits } from '../../src/modules/access/evaluator/limit.ts'

import type { Stored } from './naive-filter.ts'

// Random administrators, and random calls by which they could give rights.

/** Returns the same sequence of numbers for the same seed. */
export function randomFrom(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number): number => Math.floor(next() * count)
  const one = <T>(from: readonly T[]): T => from[below(from.length)] as T
  const some = <T>(from: readonly T[], most = 2): T[] => [
    ...new Set(Array.from({ length: 1 + below(most) }, () => one(from))),
  ]
  return { below, one, some, isOneIn: (count: number): boolean => below(count) === 0 }
}

export type Random = ReturnType<typeof randomFrom>

const actions = [
  '*::*::*',
  '*::*::get',
  '*::*::post',
  '*::*::put',
  '*::*::post',
  '*::*::put',
  '*::*::delete',
  'contact-service::*::*',
  'contact-service::imports::*',
  'contact-service::imports::get',
  'bi::*::get',
]

const conditions = [
  'query::limit::in::5,10',
  'query::limit::eq::5',
  'query::limit::neq::5',
  'query::limit::nin::5,10',
  'body::name::nct::secret',
  'body::name::sw::Spring',
  'body::name::sw::Spr',
  'body::name::nct::secret',
  'query::limit::regex::^5$',
]

/** Parts of requests that the conditions distinguish. */
export const requests = [
  { params: {}, query: {}, body: {} },
  { params: {}, query: { limit: '5' }, body: { name: 'Spring leads' } },
  { params: {}, query: { limit: '10' }, body: { name: 'Spree secret' } },
]

export type DrawnPolicy = { actions: string[]; conditions: string[]; conditionLogic: 'and' | 'or' }

export const drawPolicy = (random: Random): DrawnPolicy => ({
  actions: random.some(actions, 3),
  conditions: random.isOneIn(3) ? random.some(conditions) : [],
  conditionLogic: random.one(['and', 'or']),
})

const now = new Date().getUTCHours()
const allDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const none: Limits = { days: [], daysEffect: null, hours: [], hoursEffect: null, cidr: null }

/** Limits within which an identity counts now, from this machine. */
const limits: Limits[] = [
  none,
  none,
  { ...none, cidr: '127.0.0.0/8' },
  { ...none, cidr: '127.0.0.1' },
  { ...none, cidr: '0.0.0.0/0' },
  { ...none, hours: [(now + 23) % 24, now, (now + 1) % 24], hoursEffect: 'in' },
  { ...none, hours: [(now + 12) % 24], hoursEffect: 'nin' },
  { ...none, days: [...allDays], daysEffect: 'in', cidr: '127.0.0.0/16' },
]

export const drawLimits = (random: Random): Limits => random.one(limits)

const inBern = { City: 'Bern' }
const grown = { Age: { $gt: 18 } }

/** Rules that are narrower than others, in several spellings; most identities see all contacts. */
const rules: (Stages | null)[] = [
  null,
  null,
  [{ $match: inBern }],
  [{ $match: { $and: [inBern] } }],
  [{ $match: { $and: [inBern, grown] } }],
  [{ $match: grown }, { $match: inBern }],
  [{ $match: grown }],
  [{ $match: { $or: [inBern, grown] } }],
  [{ $match: { $nor: [inBern] } }],
]

export const drawRule = (random: Random): Stages | null => random.one(rules)

export const contactTypes = { City: 'string', Age: 'number' } as const

/** Contacts that the rules distinguish. */
export const contacts: Stored[] = [
  ['Bern', 30],
  ['Bern', 10],
  ['Lyon', 30],
  ['Lyon', 10],
].map(([city = '', age = 0], index) => ({
  id: String(index),
  values: new Map<string, string | number>([
    ['City', city],
    ['Age', age],
  ]),
}))

/** Returns the present, and moments and addresses that are outside some of the limits. */
export function moments(): { name: string; at: Date; address: string }[] {
  const at = new Date()
  return [
    { name: 'here and now', at, address: '127.0.0.1' },
    { name: 'elsewhere', at, address: '203.0.113.7' },
    { name: 'at night', at: new Date(at.getTime() + 12 * 3_600_000), address: '127.0.0.1' },
  ]
}
