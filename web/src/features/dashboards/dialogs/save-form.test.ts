import { dashboardTags } from '@portico/contract/dashboards'
import { describe, expect, test } from 'vitest'
import { aDashboard } from '#test/dashboards.ts'
import { bodyOf, saveSchema, type SaveValues, saveValues, type Sharer } from './save-form.ts'

const sharer: Sharer = { account: 12, parent: 5, email: 'mara.klein@example.com', sharesByParent: false }
const powerAdmin: Sharer = { ...sharer, sharesByParent: true }
const filled: SaveValues = { ...saveValues(null, sharer), name: 'Membership', tags: ['event'] }

function problemsOf(part: Partial<SaveValues>, notNamed: string | null = null): string[] {
  const read = saveSchema(notNamed).safeParse({ ...filled, ...part })
  return (read.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
}

const custom = (...list: string[]) => ({ choice: 'custom' as const, custom: list })

test('a complete form can be saved', () => {
  expect(problemsOf({})).toEqual([])
})

test.each<[string, Partial<SaveValues>, string]>([
  ['no name', { name: '  ' }, 'name: Value is required!'],
  ['no tag', { tags: [] }, 'tags: Value is required!'],
  ['no parent account', { parents: custom() }, 'parents: Value is required!'],
  ['no account', { accounts: custom() }, 'accounts: Value is required!'],
  ['no user', { users: custom() }, 'users: Value is required!'],
  ['an account that is no number', { accounts: custom('12', 'x') }, 'accounts: Account ids must be positive integers.'],
  ['the account 0', { accounts: custom('0') }, 'accounts: Account ids must be positive integers.'],
  ['a parent of -5', { parents: custom('-5') }, 'parents: Account ids must be positive integers.'],
  ['no email', { users: custom('mara') }, 'users: Value is invalid!'],
  ['an email twice', { users: custom('a@example.com', 'A@example.com') }, 'users: A@example.com is duplicate!'],
])('%s is refused', (_, part, problem) => {
  expect(problemsOf(part)).toEqual([problem])
})

test('only known tags are allowed', () => {
  const tags = 'channel,event,form,inbound,goal,page,program,outbound,schedule,score'.split(',')
  expect(dashboardTags).toEqual(tags)
  expect(problemsOf({ tags })).toEqual([])
  expect(problemsOf({ tags: ['other'] })).toHaveLength(1)
})

test('a copy needs another name, compared in any letter case', () => {
  const problem = 'name: The new name cannot be the same as the current name!'
  expect(problemsOf({ name: ' MEMBERSHIP' }, 'Membership')).toEqual([problem])
  expect(problemsOf({ name: 'Copy of Membership' }, 'Membership')).toEqual([])
})

describe('the sharing in the request body', () => {
  const shared = (part: Partial<SaveValues>, by = sharer) => bodyOf({ ...filled, ...part }, by, '{}').sharedWith

  test.each<[string, Partial<SaveValues>, object]>([
    ['the current account', { accounts: { choice: 'current', custom: [] } }, { paids: [5], aids: [12], users: 'all' }],
    ['the current parent', { accounts: { choice: 'parent', custom: [] } }, { paids: [5], aids: 'all', users: 'all' }],
    ['custom accounts', { accounts: custom('7', '8') }, { paids: 'all', aids: [7, 8], users: 'all' }],
    [
      'oneself',
      { users: { choice: 'current', custom: [] } },
      { paids: [5], aids: [12], users: ['mara.klein@example.com'] },
    ],
    ['emails', { users: custom('a@example.com') }, { paids: [5], aids: [12], users: ['a@example.com'] }],
  ])('with %s', (_, part, sharing) => {
    expect(shared(part)).toEqual(sharing)
    expect(saveValues({ ...aDashboard(), sharedWith: shared(part) }, sharer)).toMatchObject(part)
  })

  test.each<[string, Partial<SaveValues>, object]>([
    [
      'all',
      { parents: { choice: 'all', custom: [] }, accounts: { choice: 'all', custom: [] } },
      { paids: 'all', aids: 'all' },
    ],
    ['the current ones', { parents: { choice: 'current', custom: [] } }, { paids: [5], aids: [12] }],
    ['custom ones', { parents: custom('2', '5'), accounts: custom('7') }, { paids: [2, 5], aids: [7] }],
  ])('of power admins, with parent accounts and accounts: %s', (_, part, sharing) => {
    expect(shared(part, powerAdmin)).toMatchObject(sharing)
    const read = saveValues({ ...aDashboard(), sharedWith: shared(part, powerAdmin) }, powerAdmin)
    expect(read).toMatchObject(part)
  })
})
