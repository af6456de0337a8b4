import { describe, expect, test } from 'vitest'
import { isAllowed, policyNames } from './granted-actions.ts'
import { holdsEveryAction } from './power.ts'

const request = { params: {}, query: {}, body: {} }

function policy(...actions: string[]) {
  return { name: 'Some policy', actions, conditions: [] as string[], conditionLogic: 'and' as 'and' | 'or' }
}

describe('isAllowed', () => {
  test.each([
    ['contact-service::imports::get', 'the action itself'],
    ['Contact-Service::IMPORTS::Get', 'the action in other letter case'],
    ['*::*::*', 'every action'],
    ['contact-service::*::*', 'every action of the service'],
    ['contact-service::imports::*', 'every method of the resource'],
    ['*::imports::*', 'the resource of every service'],
    ['*::*::get', 'the method of everything'],
  ])('%s allows it: %s', (held) => {
    expect(isAllowed([policy(held)], 'contact-service::imports::get', request)).toBe(true)
  })

  test.each([
    ['contact-service::imports::post', 'another method'],
    ['contact-service::exports::*', 'another resource'],
    ['bi::*::*', 'another service'],
    ['contact-service::import*::get', 'a star within a name'],
    ['contact-service::imports', 'too few parts'],
    ['*', 'a star alone'],
    ['*::*::*::*', 'too many parts'],
    ['', 'nothing'],
    ['contact-service::imports::get ', 'a blank'],
  ])('%s does not allow it: %s', (held) => {
    expect(isAllowed([policy(held)], 'contact-service::imports::get', request)).toBe(false)
  })

  test('one of several policies is enough', () => {
    const policies = [policy('bi::*::*'), policy('scheduler::crons::get', 'contact-service::imports::get')]
    expect(isAllowed(policies, 'contact-service::imports::get', request)).toBe(true)
  })

  test('nothing is allowed without a policy', () => {
    expect(isAllowed([], 'contact-service::imports::get', request)).toBe(false)
  })

  test('a policy grants only when its conditions hold: all, or any one', () => {
    const conditions = ['query::limit::eq::10', 'query::skip::eq::0']
    const all = { ...policy('*::*::*'), conditions }
    const one = { ...all, conditionLogic: 'or' as const }
    const asked = (query: object) => ({ ...request, query })
    const judged = [asked({ limit: '10', skip: '0' }), asked({ limit: '10' }), asked({})].map((each) =>
      [all, one].map((held) => isAllowed([held], 'contact-service::imports::get', each)),
    )
    expect(judged).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ])
  })

  test('without conditions the logic does not matter', () => {
    const either = { ...policy('*::*::*'), conditionLogic: 'or' as const }
    expect(isAllowed([either], 'contact-service::imports::get', request)).toBe(true)
  })

  test('an invalid condition is never met', () => {
    for (const condition of ['', 'query::limit', 'header::x::neq::1', 'query::limit::gt::1']) {
      const held = { ...policy('*::*::*'), conditions: [condition] }
      expect(isAllowed([held], 'contact-service::imports::get', request)).toBe(false)
    }
  })
})

test('policyNames lists the policies held, then the features their actions grant, without duplicates', () => {
  const imports = { ...policy('contact-service::imports::*'), name: 'Imports' }
  const again = { ...policy('contact-service::imports::get'), name: 'Imports' }
  expect(policyNames([imports, again])).toEqual([
    'Imports',
    'contact-import-list',
    'contact-imports-create',
    'contact-imports-undo',
  ])
})

test('holdsEveryAction requires *::*::*, not many narrower actions', () => {
  expect(holdsEveryAction([policy('bi::*::*'), policy('*::*::*')])).toBe(true)
  expect(holdsEveryAction([policy('bi::*::*', 'contact-service::*::*', 'scheduler::*::*')])).toBe(false)
})

test('holdsEveryAction ignores a policy with conditions', () => {
  expect(holdsEveryAction([{ ...policy('*::*::*'), conditions: ['query::limit::eq::10'] }])).toBe(false)
})
