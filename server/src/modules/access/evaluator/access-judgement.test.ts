import type { Action } from '@portico/contract/route'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { naivelyAllowed, naivelyCounts } from '#test/oracles/naive-access.ts'
import { randomSituation } from '#test/oracles/random-access.ts'
import { explainAccess } from '../explanation/access-explanation.ts'
import { judgeAccess } from './access-judgement.ts'
import { isAllowed } from './granted-actions.ts'
import type { HeldIdentity } from './held-identity.ts'

describe('on 10,000 random situations', () => {
  test('the evaluator and explain agree with a naive reading of the rules', () => {
    const seen = { allowed: 0, refused: 0, outside: 0 }
    fc.assert(
      fc.property(randomSituation, ({ account, identities, request }) => {
        const wanted = naivelyAllowed(account, identities, request)
        const { at, address, params, query, body } = request
        // Composed of three parts.
        const action = request.action as Action
        const judgement = judgeAccess(account, identities, { at, address })
        const isInside = judgement.refusal === null
        expect(isInside && isAllowed(judgement.policies, action, { params, query, body })).toBe(wanted)
        expect(judgement.identities.map(({ counts }) => counts)).toEqual(
          identities.map((identity) => naivelyCounts(account, identity, request)),
        )
        const question = { email: 'ada@example.com', action, request: { params, query, body }, moment: { at, address } }
        const explanation = explainAccess(account, identities, question)
        expect(explanation.isAllowed).toBe(wanted)
        expect(explanation.reason).toMatch(wanted ? /^Allowed: the policy "/ : /^Refused: /)
        const granting = explanation.identities.filter(({ counts }) => counts).flatMap(({ policies }) => policies)
        expect(granting.some(({ outcome }) => outcome === 'grants')).toBe(wanted)
        seen[wanted ? 'allowed' : isInside ? 'refused' : 'outside'] += 1
      }),
      { numRuns: 10_000 },
    )
    // If every result were a refusal, equal results would prove little.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(1000)
  })
})

const account = { id: 1, timeZone: 'UTC', isSuspended: false }
const moment = { at: new Date('2026-06-01T10:00:00Z'), address: '203.0.113.7' }
const full = {
  id: 'full',
  name: 'Full access',
  isAdmin: false,
  groups: ['Power users'],
  isAssigned: true,
  actions: ['*::*::*'],
  conditions: [],
  conditionLogic: 'and' as const,
}
const reading = { ...full, id: 'reading', name: 'Reading', actions: ['*::*::get'], groups: ['Readers'] }

function identity(changes: Partial<HeldIdentity> = {}): HeldIdentity {
  return {
    id: 'one',
    account: 1,
    homeZone: null,
    userName: null,
    isDisabled: false,
    isAdmin: false,
    accessToAllSubAccounts: false,
    rowRule: null,
    policies: [full],
    days: [],
    daysEffect: null,
    hours: [],
    hoursEffect: null,
    cidr: null,
    ...changes,
  }
}

describe('several identities that open one account', () => {
  const elsewhere = identity({ id: 'own', cidr: '10.0.0.0/8' })
  const everywhere = identity({ id: 'parent', account: 2, policies: [reading] })

  test('count only within their own limits, and only those that count grant policies', () => {
    expect(judgeAccess(account, [elsewhere, everywhere], moment)).toMatchObject({
      refusal: null,
      isPowerUser: false,
      policies: [reading],
    })
    const atHome = judgeAccess(account, [elsewhere, everywhere], { ...moment, address: '10.1.2.3' })
    expect(atHome).toMatchObject({ isPowerUser: true, policies: [full, reading] })
  })

  test('grant a policy held by both only once', () => {
    expect(judgeAccess(account, [identity(), identity({ id: 'two' })], moment).policies).toEqual([full])
  })

  test('are refused with the unmet limit of each when none counts', () => {
    const night = identity({ id: 'two', hours: [22, 23, 0], hoursEffect: 'in' })
    expect(judgeAccess(account, [elsewhere, night], moment).refusal).toEqual({
      code: 'outside_limits',
      message:
        'You may work here only within this limit: 10.0.0.0/8. Your address is 203.0.113.7. ' +
        'You may work here only within this limit: 22:00 to 01:00 (UTC).',
    })
  })

  test('require two-factor if the account does, once one of them meets all other limits', () => {
    const lacking = { ...account, lacksTwoFactor: true }
    const code = (held: HeldIdentity[]) => judgeAccess(lacking, held, moment).refusal?.code
    expect(code([elsewhere, everywhere])).toBe('two_factor_needed')
    expect(code([elsewhere])).toBe('outside_limits')
    expect(code([identity({ isDisabled: true })])).toBe('not_signed_in')
    expect(judgeAccess(lacking, [identity()], moment)).toMatchObject({ isPowerUser: false, policies: [] })
  })

  test('give no access when all are disabled', () => {
    expect(judgeAccess(account, [identity({ isDisabled: true })], moment).refusal).toMatchObject({
      code: 'not_signed_in',
    })
  })
})

describe('power', () => {
  const global = identity({ id: 'global', account: null, isAdmin: true })

  test('over all accounts comes from a global identity in a group of administrators, within its limits', () => {
    expect(judgeAccess(account, [global], moment)).toMatchObject({ isPowerAdmin: true, isPowerUser: false })
    const limited = { ...global, cidr: '10.0.0.0/8' }
    expect(judgeAccess(account, [limited, identity()], moment)).toMatchObject({
      isPowerAdmin: false,
      isPowerUser: true,
    })
    expect(judgeAccess(account, [{ ...global, isAdmin: false }], moment)).toMatchObject({ isPowerAdmin: false })
    expect(judgeAccess(account, [identity({ isAdmin: true })], moment)).toMatchObject({ isPowerAdmin: false })
  })

  test('in one account comes from the unconditional right to everything, never from a global identity', () => {
    expect(judgeAccess(account, [identity()], moment).isPowerUser).toBe(true)
    expect(judgeAccess(account, [identity({ account: null })], moment).isPowerUser).toBe(false)
    const conditional = { ...full, conditions: ['query::limit::eq::10'] }
    expect(judgeAccess(account, [identity({ policies: [conditional] })], moment).isPowerUser).toBe(false)
  })

  test('over all accounts is required to enter a suspended account', () => {
    const suspended = { ...account, isSuspended: true }
    expect(judgeAccess(suspended, [identity()], moment).refusal).toEqual({
      code: 'outside_limits',
      message: 'This account is suspended.',
    })
    expect(judgeAccess(suspended, [{ ...global, isAdmin: false }], moment).refusal).not.toBeNull()
    expect(judgeAccess(suspended, [global], moment)).toMatchObject({ refusal: null, isPowerAdmin: true })
  })
})

describe('explain', () => {
  const question = { email: 'ada@example.com', action: 'contact-service::imports::post' as const, moment }
  const explained = (identities: HeldIdentity[], request = { params: [], query: {}, body: {} }) =>
    explainAccess(account, identities, { ...question, request })

  test('names the policy, the group and the action that allow the request', () => {
    const { reason, features, identities } = explained([identity()])
    expect(reason).toBe('Allowed: the policy "Full access", held through "Power users", has the action *::*::*.')
    expect(features).toEqual(['contact-imports-create'])
    expect(identities).toMatchObject([{ aid: 1, counts: true, policies: [{ outcome: 'grants', action: '*::*::*' }] }])
  })

  test('names the condition that does not hold', () => {
    const policy = { ...full, conditions: ['body::name::sw::Test', 'query::dry::eq::true'] }
    const answer = explained([identity({ policies: [policy] })], {
      params: [],
      query: { dry: 'true' },
      body: {},
    } as never)
    expect(answer).toMatchObject({
      isAllowed: false,
      reason:
        'Refused: the policy "Full access" has the action *::*::*, but its condition "body::name::sw::Test" does not hold.',
    })
    expect(answer.identities[0]?.policies[0]?.conditions).toEqual([
      { condition: 'body::name::sw::Test', isMet: false, failed: null },
      { condition: 'query::dry::eq::true', isMet: true, failed: null },
    ])
  })

  test('names the element of a list that a condition refuses', () => {
    const policy = { ...full, conditions: ['body::exportFields::in::Email,City'] }
    const body = { exportFields: ['Email', 'Salary'] }
    const { reason } = explained([identity({ policies: [policy] })], { params: [], query: {}, body } as never)
    expect(reason).toBe(
      'Refused: the policy "Full access" has the action *::*::*, but its condition ' +
        '"body::exportFields::in::Email,City" (for "Salary") does not hold.',
    )
  })

  test('says that no policy holds the action', () => {
    expect(explained([identity({ policies: [reading] })]).reason).toBe(
      'Refused: ada@example.com holds no policy with an action that matches contact-service::imports::post.',
    )
  })

  test('names the limit that is not met', () => {
    const answer = explained([identity({ days: ['mon', 'tue'], daysEffect: 'nin' })])
    expect(answer.reason).toContain('not Monday to Tuesday (UTC)')
    expect(answer.identities[0]).toMatchObject({
      counts: false,
      limits: [
        { limit: 'account', isMet: true },
        { limit: 'identity', isMet: true },
        { limit: 'days', rule: 'not Monday to Tuesday (UTC)', isMet: false },
      ],
    })
  })
})
