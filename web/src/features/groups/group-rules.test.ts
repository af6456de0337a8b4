import { messages } from '@portico/contract/messages'
import { expect, test } from 'vitest'
import { groupSchema } from './group-rules.ts'

const problemsOf = (change: Record<string, unknown>, mayAdministerAll = true): string[] => {
  const values = { name: 'Analysts', isAdmin: false, policies: ['1'], ...change }
  const taken = new Set(['marketing'])
  return (
    groupSchema(taken, mayAdministerAll)
      .safeParse(values)
      .error?.issues.map(({ message }) => message) ?? []
  )
}

test('a name has 5 to 50 characters and is unique among the groups', () => {
  expect(problemsOf({})).toEqual([])
  expect(problemsOf({ name: '' })).toContain(messages.required)
  expect(problemsOf({ name: 'Four' })).toEqual([messages.min5])
  expect(problemsOf({ name: 'x'.repeat(51) })).toEqual([messages.max50])
  expect(problemsOf({ name: 'MARKETING' })).toEqual([messages.duplicateGroup])
})

test('everyone is a reserved name, except for power admins', () => {
  expect(problemsOf({ name: ' Everyone' }, false)).toEqual([messages.reserved])
  expect(problemsOf({ name: 'everyone' }, true)).toEqual([])
})

test('a group holds at least one policy', () => {
  expect(problemsOf({ policies: [] })).toEqual([messages.required])
})
