import { describe, expect, test } from 'vitest'
import type { Row } from './pipeline.ts'
import { choiceOf, eitherRule, everyRule, isSameRule, isWithinRule } from './row-rules.ts'

const bern = { City: 'Bern' }
const grown = { Age: { $gt: 18 } }
const rule = (...matches: object[]): Row[] => matches.map((match) => ({ $match: match }))

describe('a rule within another', () => {
  test.each<[string, Row[] | null, Row[] | null]>([
    ['any within none', rule(bern), null],
    ['none within none', null, null],
    ['the same', rule(bern), rule(bern)],
    ['one with a further stage', rule(bern, grown), rule(bern)],
    ['one with a further name', rule({ ...grown, ...bern }), rule(bern)],
    ['one with a further branch, however deep', rule({ $and: [grown, { $and: [bern] }] }), rule(bern)],
    ['stages in another order', rule(grown, bern), rule(bern, grown)],
    ['operators in another order', rule({ Age: { $lt: 30, $gt: 18 } }), rule({ Age: { $gt: 18, $lt: 30 } })],
    ['one of the alternatives', rule(bern), rule({ $or: [grown, bern] })],
    ['the same alternatives', rule({ $or: [grown, bern] }, bern), rule({ $or: [grown, bern] })],
    ['one of several identities', rule(grown), eitherRule([rule(bern), rule(grown)])],
    ['what all of several let through', everyRule(rule(bern), rule(grown)), rule(grown)],
  ])('%s', (_what, inner, outer) => expect(isWithinRule(inner, outer)).toBe(true))

  test.each<[string, Row[] | null, Row[] | null]>([
    ['none', null, rule(bern)],
    ['an empty one', [], rule(bern)],
    ['one without conditions', rule({}), rule(bern)],
    ['another one', rule(grown), rule(bern)],
    ['one of two conditions', rule(bern), rule(bern, grown)],
    ['the alternatives of which it is one', rule({ $or: [bern, grown] }), rule(bern)],
    ['alternatives of which each is narrower, which is not told', rule({ $or: [bern] }), rule({ $or: [bern, grown] })],
    ['the opposite', rule({ $nor: [bern] }), rule(bern)],
    ['the same within the opposite', rule({ $nor: [{ $and: [bern] }] }), rule(bern)],
    ['the same of one event', rule({ events: { $elemMatch: bern } }), rule(bern)],
    ['a narrower value, which is not told', rule({ Age: { $gt: 20 } }), rule(grown)],
    ['the value as another type', rule({ Age: '1' }), rule({ Age: 1 })],
    ['a branch that is no list', rule({ $and: bern }), rule(bern)],
  ])('not %s', (_what, inner, outer) => expect(isWithinRule(inner, outer)).toBe(false))
})

test('rules are compared regardless of key order', () => {
  expect(isSameRule(rule({ ...bern, ...grown }), rule({ ...grown, ...bern }))).toBe(true)
  expect(isSameRule(rule(bern, grown), rule(grown, bern))).toBe(false)
  expect(isSameRule(null, [])).toBe(false)
})

test('the selection of contacts ends at the first other kind of stage', () => {
  const stages: Row[] = [...rule(bern, grown), { $unwind: '$events' }, ...rule(bern)]
  expect(choiceOf(stages)).toEqual(rule(bern, grown))
  expect(choiceOf(rule(bern))).toEqual(rule(bern))
  expect(choiceOf([{ $predefined: 'x' }, ...rule(bern)])).toEqual([])
})
