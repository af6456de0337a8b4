import { describe, expect, test } from 'vitest'
import { holdsEveryAction, isAllowed, policyNames } from './granted-actions.ts'

const request = { params: {}, query: {}, body: {} }

function policy(...actions: string[]) {
  return { name: 'Some policy', actions, conditions: [] as string[] }
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
  ])('%s does not: %s', (held) => {
    expect(isAllowed([policy(held)], 'contact-service::imports::get', request)).toBe(false)
  })

  test('one of several policies is enough', () => {
    const policies = [policy('bi::*::*'), policy('scheduler::crons::get', 'contact-service::imports::get')]
    expect(isAllowed(policies, 'contact-service::imports::get', request)).toBe(true)
  })

  test('nobody holds anything without a policy', () => {
    expect(isAllowed([], 'contact-service::imports::get', request)).toBe(false)
  })

  test('a policy with conditions grants nothing as long as they cannot be judged', () => {
    const conditional = { ...policy('*::*::*'), conditions: ['query::limit::eq::10'] }
    expect(isAllowed([conditional], 'contact-service::imports::get', request)).toBe(false)
  })
})

test('policyNames are the names held, then the features their actions grant, each once', () => {
  const imports = { ...policy('contact-service::imports::*'), name: 'Imports' }
  const again = { ...policy('contact-service::imports::get'), name: 'Imports' }
  expect(policyNames([imports, again])).toEqual(['Imports', 'contact-import-list', 'contact-imports-create'])
})

test('holdsEveryAction asks for the action that stands for all, not for many', () => {
  expect(holdsEveryAction([policy('bi::*::*'), policy('*::*::*')])).toBe(true)
  expect(holdsEveryAction([policy('bi::*::*', 'contact-service::*::*', 'scheduler::*::*')])).toBe(false)
})
