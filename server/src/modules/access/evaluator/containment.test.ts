import type { Action } from '@portico/contract/route'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conditionOperators } from '@portico/contract/policies'
import { ReadText } from '@portico/contract/read-text'
import { randomIdentity, randomRequest } from '#test/oracles/random-access.ts'
import { implies } from './condition-implication.ts'
import { judgeCondition } from './condition.ts'
import { excessOf } from './containment.ts'
import { isAllowed, type Policy } from './granted-actions.ts'
import { areWithin, judgeLimits, limitsInWords } from './limit.ts'

function policy(actions: string[], conditions: string[] = [], conditionLogic: 'and' | 'or' = 'and'): Policy {
  return { name: 'Given', actions, conditions, conditionLogic }
}

describe('policies are compared', () => {
  const reads = policy(['contact-service::*::get'])

  test.each<[string, Policy[], Policy[], 'within' | 'action' | 'condition']>([
    ['the same', [reads], [reads], 'within'],
    ['fewer actions', [reads], [policy(['contact-service::IMPORTS::get'])], 'within'],
    ['further actions', [reads], [policy(['contact-service::imports::get', 'bi::reports::get'])], 'action'],
    ['all services', [reads], [policy(['*::imports::get'])], 'action'],
    [
      'all resources that are named, and none that come later',
      [policy(['bi::dashboards::*', 'bi::downloads::*', 'bi::reports::*'])],
      [policy(['bi::*::get'])],
      'action',
    ],
    [
      'each method of all',
      [policy(['*::*::get', '*::*::post']), policy(['*::*::put', '*::*::delete'])],
      [policy(['*::*::*'])],
      'within',
    ],
    ['one condition more', [reads], [policy(['contact-service::offers::get'], ['query::find::nct::salary'])], 'within'],
    ['one condition less', [policy(reads.actions as string[], ['query::find::nct::salary'])], [reads], 'condition'],
    [
      'either condition instead of both',
      [policy(['bi::*::*'], ['query::a::eq::1', 'query::b::eq::1'])],
      [policy(['bi::*::*'], ['query::a::eq::1', 'query::b::eq::1'], 'or')],
      'condition',
    ],
    [
      'both conditions instead of either',
      [policy(['bi::*::*'], ['query::a::eq::1', 'query::b::eq::1'], 'or')],
      [policy(['bi::*::*'], ['query::a::eq::1', 'query::b::eq::1'])],
      'within',
    ],
    [
      'alternatives of which each is held by another policy',
      [policy(['bi::*::*'], ['query::a::eq::1']), policy(['bi::*::*'], ['query::b::eq::1'])],
      [policy(['bi::*::*'], ['query::b::eq::1', 'query::a::eq::1'], 'or')],
      'within',
    ],
    [
      'what only two policies together hold, which is not told apart from more',
      [policy(['bi::*::*'], ['query::a::eq::1']), policy(['bi::*::*'], ['query::a::neq::1'])],
      [policy(['bi::*::*'])],
      'condition',
    ],
  ])('%s', (_what, own, given, wanted) => {
    const excess = excessOf(own, given)
    expect(excess?.reason ?? 'within').toBe(wanted)
    expect(excess?.policy ?? 'Given').toBe('Given')
  })
})

const words = [
  'a',
  'ab',
  'abc',
  'b',
  '1',
  '01',
  '1.0',
  'a,b',
  'b, a',
  'a b',
  'ab,a,b',
  ',a',
  ' a',
  '{"a":1}',
  'a@b.c',
  'A',
  '"a"',
]
const texts = ['a@b.c,x@y.z', '"a","b"', '{"a": 1}', '', 'xabcx', '["a","b"]', 'abx', 'xab', 'b', '001', ' 1 ']
const others = [
  1,
  null,
  undefined,
  true,
  { a: 1 },
  [],
  ['a'],
  ['a', 'b'],
  ['a', null],
  [['ab'], 'a'],
  ['a@b.c,x@y.z', 'a'],
]
const read = [
  ReadText.list(['a', 'b'], 'a,b'),
  ReadText.list(['a', 'b'], 'a b'),
  ReadText.list(['ab'], 'ab'),
  ReadText.list(['a@b.c', 'x@y.z'], 'a@b.c,x@y.z'),
  ReadText.json({ a: 1 }, '{"a": 1}'),
  ReadText.json({ a: 'ab, a', b: [1.5, 'abc', 'b,a'] }, '…'),
  ReadText.json([1, 'ab', true], '[1,"ab",true]'),
  ReadText.stages([{ $match: { a: 'ab', b: 1 } }]),
  ReadText.stages([{ $match: { $or: [{ a: 'abc' }, { b: 'a' }] } }]),
]
const values: unknown[] = [...words, ...texts, ...others, ...read]

describe('with random input', () => {
  const everyRequest = randomRequest.map(({ params, query, body }) => ({ params, query, body }))
  const action = fc
    .tuple(
      fc.constantFrom('contact-service', 'bi', 'later'),
      fc.constantFrom('imports', 'exports', 'later'),
      fc.constantFrom('get', 'put', 'delete'),
    )
    // Composed of three parts.
    .map((parts) => parts.join('::') as Action)

  test('policies within others allow no request that the others refuse', () => {
    const seen = { within: 0, allowed: 0 }
    const policiesOf = randomIdentity.map(({ policies }) => policies)
    fc.assert(
      fc.property(
        policiesOf,
        policiesOf,
        fc.boolean(),
        fc.array(fc.tuple(action, everyRequest), { minLength: 10, maxLength: 10 }),
        (own, other, isPart, asked) => {
          // Random unrelated policies seldom contain each other.
          const given = isPart ? own.map((each) => ({ ...each, actions: each.actions.slice(0, 1) })) : other
          if (given.length === 0 || excessOf(own, given) !== null) return
          seen.within += 1
          for (const [wanted, request] of asked) {
            if (!isAllowed(given, wanted, request)) continue
            seen.allowed += 1
            expect(isAllowed(own, wanted, request)).toBe(true)
          }
        },
      ),
      { numRuns: 2000 },
    )
    expect(seen.within).toBeGreaterThan(500)
    expect(seen.allowed).toBeGreaterThan(500)
  })

  test.each(['query::a', 'query::find', 'body::a', 'body::a.a'])(
    'a condition on %s that implies another is met only by requests that meet the other',
    (key) => {
      const conditions = conditionOperators.flatMap((operator) => words.map((word) => `${key}::${operator}::${word}`))
      const requests = values.map((value) => {
        const [option = '', name = ''] = key.split('::')
        return {
          params: {},
          query: {},
          body: {},
          [option]: value === undefined ? {} : { [name.split('.')[0] ?? '']: value },
        }
      })
      let implied = 0
      for (const one of conditions) {
        const met = requests.filter((request) => judgeCondition(one, request).isMet)
        for (const other of conditions) {
          if (one === other || !implies(one, other)) continue
          implied += 1
          expect(
            met.filter((request) => !judgeCondition(other, request).isMet),
            `${one} implies ${other}`,
          ).toEqual([])
        }
      }
      expect(implied).toBeGreaterThan(100)
    },
  )

  test('limits within others admit no moment and no address that the others refuse', () => {
    const seen = { within: 0, met: 0 }
    const moment = fc.record({
      at: fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
      address: randomRequest.map(({ address }) => address),
    })
    const zones = ['UTC', 'Asia/Kolkata', 'America/New_York']
    fc.assert(
      fc.property(randomIdentity, randomIdentity, fc.array(moment, { minLength: 10 }), (one, other, all) => {
        const inner = { ...one, days: one.days.slice(0, 2), hours: one.hours.slice(0, 6) }
        if (!areWithin(inner, other)) return
        seen.within += 1
        for (const zone of zones) {
          for (const each of all) {
            if (judgeLimits(inner, zone, each).some(({ isMet }) => !isMet)) continue
            seen.met += 1
            expect(judgeLimits(other, zone, each).every(({ isMet }) => isMet)).toBe(true)
          }
        }
      }),
      { numRuns: 2000 },
    )
    expect(seen.within).toBeGreaterThan(200)
    expect(seen.met).toBeGreaterThan(500)
  })
})

test('limits are described in words without a time zone', () => {
  const limits = {
    days: ['mon', 'tue'],
    daysEffect: 'in',
    hours: [22, 23],
    hoursEffect: 'nin',
    cidr: '10.0.0.0/8',
  } as const
  expect(limitsInWords(limits)).toBe('Monday to Tuesday, not 22:00 to 24:00, 10.0.0.0/8')
})
