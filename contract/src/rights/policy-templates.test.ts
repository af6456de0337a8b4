import { expect, test } from 'vitest'
import { NewPolicy } from '../policies.ts'
import { coveredBy } from './action-words.ts'
import { policyTemplates } from './policy-templates.ts'

test('each template is a policy that can be saved, and each of its actions covers something', () => {
  expect(new Set(policyTemplates.map(({ name }) => name)).size).toBe(policyTemplates.length)
  for (const { name, isAdmin, actions, sentence } of policyTemplates) {
    expect(NewPolicy.safeParse({ name, isAdmin, actions })).toMatchObject({ success: true })
    for (const action of actions)
      expect({ action, covers: coveredBy(action).length > 0 }).toEqual({ action, covers: true })
    expect(sentence).toMatch(/^[A-Z][^.]{15,120}\.$/)
  }
})

test('three templates only read, and one gives everything', () => {
  const changing = policyTemplates.filter(({ actions }) => actions.some((action) => !action.endsWith('::get')))
  const reading = policyTemplates.filter((template) => !changing.includes(template)).map(({ name }) => name)
  expect(reading).toEqual(['Dashboard viewer', 'Viewer', 'Read-only admin'])
  expect(policyTemplates.filter(({ actions }) => actions.includes('*::*::*')).map(({ name }) => name)).toEqual([
    'Account admin',
  ])
})
