import { messages } from '@portico/contract/messages'
import { expect, test } from 'vitest'
import { aGroup, anIdentity } from '#test/access.ts'
import { eligibleGroups, identitySchema, newIdentityValues, takenEmails, toNewIdentity } from './identity-rules.ts'

const problemsOf = (change: Record<string, unknown>): string[][] => {
  const values = { ...newIdentityValues, email: 'mara@example.com', groups: ['1'], ...change }
  const issues = identitySchema(new Set(['tom@example.com'])).safeParse(values).error?.issues ?? []
  return issues.map(({ path, message }) => [path.join('.'), message])
}

test('an email is required, valid and unique in its scope', () => {
  expect(problemsOf({})).toEqual([])
  expect(problemsOf({ email: '' })).toContainEqual(['email', messages.required])
  expect(problemsOf({ email: 'mara' })).toEqual([['email', messages.invalid]])
  expect(problemsOf({ email: 'TOM@example.com' })).toEqual([['email', messages.duplicateEmail]])
})

test('the same email may have a global identity and one in the account', () => {
  const mine = anIdentity({ _id: '1', email: 'Mara@example.com' })
  const everywhere = anIdentity({ _id: '2', email: 'root@example.com', aid: '*' })
  expect(takenEmails([mine, everywhere], null, false)).toEqual(new Set(['mara@example.com']))
  expect(takenEmails([mine, everywhere], null, true)).toEqual(new Set(['root@example.com']))
  expect(takenEmails([mine, everywhere], mine, true)).toEqual(new Set())
})

test('a group is required', () => {
  expect(problemsOf({ groups: [] })).toEqual([['groups', messages.required]])
})

test('days require an effect, allowed or refused, and so do hours', () => {
  expect(problemsOf({ days: ['mon'] })).toEqual([['daysEffect', messages.required]])
  expect(problemsOf({ days: ['mon'], daysEffect: 'in' })).toEqual([])
  expect(problemsOf({ hours: [9] })).toEqual([['hoursEffect', messages.required]])
  expect(problemsOf({ hours: [9], hoursEffect: 'nin' })).toEqual([])
})

test.each([
  ['', true],
  ['10.0.0.0/8', true],
  ['10.0.0.1', true],
  ['2001:db8::/32', true],
  ['10.0.0.0/33', false],
  ['10.0.0', false],
  ['somewhere', false],
])('the network %j is valid: %s', (cidr, isRight) => {
  expect(problemsOf({ cidr })).toEqual(isRight ? [] : [['cidr', messages.invalid]])
})

test('eligible groups are those of the same kind, except everyone', () => {
  const groups = [aGroup({ name: 'Root', isAdmin: true }), aGroup({ name: 'Analysts' }), aGroup({ name: 'Everyone' })]
  expect(eligibleGroups(groups, true).map(({ name }) => name)).toEqual(['Root'])
  expect(eligibleGroups(groups, false).map(({ name }) => name)).toEqual(['Analysts'])
})

test('an identity sent back unchanged keeps its values and stays disabled', () => {
  expect(
    toNewIdentity(anIdentity({ status: 'disabled', cidr: '10.0.0.0/8', days: ['mon'], daysEffect: 'in' })),
  ).toEqual({
    email: 'tom.lind@example.com',
    userName: 'Tom Lind',
    groups: ['g1'],
    accessToAllSubAccounts: false,
    days: ['mon'],
    daysEffect: 'in',
    hours: [],
    hoursEffect: null,
    cidr: '10.0.0.0/8',
    rowRule: null,
    isDisabled: true,
  })
})
