import { api } from '@portico/contract/api'
import type { Action, Route } from '@portico/contract/route'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { naivelyAllowed } from '#test/oracles/naive-access.ts'
import { randomSituation } from '#test/oracles/random-access.ts'
import type { CallerRight, JudgedRequest } from '#platform/http/context.ts'
import { judgeAccess, type JudgedAccount } from '../evaluator/access-judgement.ts'
import { isAllowed, judgePolicy } from '../evaluator/granted-actions.ts'
import type { HeldIdentity } from '../evaluator/held-identity.ts'
import { administers } from '../evaluator/power.ts'
import { routeRefusal } from '../evaluator/route-access.ts'
import { effectiveRights } from './effective-rights.ts'

const unlimited = { days: [], daysEffect: null, hours: [], hoursEffect: null, cidr: null }

/** Every call that needs a right in an account, once for each right. */
const rights: { action: Action; right: CallerRight }[] = Object.values<Route>(api).flatMap((route): typeof rights => {
  const { access, action } = route
  if (access === 'administrator' || access === 'power-admin') return [{ action, right: { access, action } }]
  // An access with colons is an action.
  return access.includes('::') ? [{ action: access as Action, right: { access: access as Action } }] : []
})

/** The decision on a request for a call, as of the server for a session. */
function isServed(account: JudgedAccount, held: HeldIdentity[], right: CallerRight, request: JudgedRequest): boolean {
  const judgement = judgeAccess(account, held, { at: new Date('2026-06-01T10:00:00Z'), address: '10.1.2.3' })
  const caller = {
    ...judgement,
    kind: 'session' as const,
    account: account.id,
    requirement: null,
    administers: (action: Action, asked: JudgedRequest) => administers(judgement, action, asked),
    can: (action: Action, asked: JudgedRequest) => isAllowed(judgement.policies, action, asked),
  }
  return judgement.refusal === null && routeRefusal(caller, right, request) === null
}

/** A policy with every right now and then, as random ones seldom make a power user. */
const situation = fc.tuple(randomSituation, fc.constantFrom('none', 'all', 'all', 'get')).map(([random, more]) => ({
  ...random,
  identities: random.identities.map((identity, index) =>
    index > 0 || more === 'none'
      ? identity
      : {
          ...identity,
          policies: identity.policies.map((policy, at) =>
            at > 0 ? policy : { ...policy, actions: [more === 'all' ? '*::*::*' : '*::*::get'] },
          ),
        },
  ),
}))

test('for random identities, policies and requests, rights agree with the decision on every call', () => {
  const seen = { always: 0, conditions: 0, never: 0 }
  fc.assert(
    fc.property(situation, ({ account, identities, request }) => {
      const { rights: found } = effectiveRights(account, identities)
      const met = identities.map((identity) => ({ ...identity, ...unlimited }))
      const { params, query, body } = request
      for (const { action, may, by } of found) {
        const calls = rights.filter((each) => each.action === action)
        const isServedBySome = calls.some(({ right }) => isServed(account, met, right, { params, query, body }))
        const isGivenByOne = by.some(
          ({ policy }) => judgePolicy(policy, action, { params, query, body }).outcome === 'grants',
        )
        // A feature without a call is served by none.
        const isGiven = calls.length > 0 && isGivenByOne
        expect({ action, isGiven }).toEqual({ action, isGiven: isServedBySome })
        expect(may === 'always' && calls.length > 0 && !isServedBySome).toBe(false)
        expect(may === 'never' && isServedBySome).toBe(false)
        expect(by.length > 0).toBe(may !== 'never')
        expect(by.some(({ policy }) => policy.conditions.length === 0)).toBe(may === 'always')
        seen[may] += 1
      }
    }),
    { numRuns: 500 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(1000)
})

test('for random requests for contact data, rights agree with a naive reading of the rules', () => {
  const seen = { true: 0, false: 0 }
  fc.assert(
    fc.property(randomSituation, ({ account, identities, request }) => {
      const met = identities.map((identity) => ({ ...identity, ...unlimited }))
      const isNaivelyAllowed = naivelyAllowed(account, met, request)
      const right = effectiveRights(account, identities).rights.find(({ action }) => action === request.action)
      if (right === undefined) return
      const { params, query, body } = request
      // The action was found among those of the portal.
      const action = request.action as Action
      expect(
        right.by.some(({ policy }) => judgePolicy(policy, action, { params, query, body }).outcome === 'grants'),
      ).toBe(isNaivelyAllowed)
      seen[isNaivelyAllowed ? 'true' : 'false'] += 1
    }),
    { numRuns: 3000 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(300)
})
