import { expect, test } from 'vitest'
import { api } from '../api.ts'
import { features } from '../features.ts'
import { NewPolicy } from '../policies.ts'
import type { Route } from '../route.ts'
import { areas } from './action-names.ts'
import { actionInWords, canBeNamed, coveredBy, findAction, knownActions } from './action-words.ts'

/** The actions that calls and features need. */
const needed = new Set<string>([
  ...Object.values<Route>(api).flatMap(({ access, action }) => action ?? (access.includes('::') ? access : [])),
  ...Object.values(features),
])

test('every action that a call or a feature needs has a name and a sentence, and no other has', () => {
  expect(knownActions.map(({ action }) => action).toSorted()).toEqual([...needed].toSorted())
})

test('names are unique and short, and each sentence is one sentence', () => {
  expect(new Set(knownActions.map(({ name }) => name.toLowerCase())).size).toBe(knownActions.length)
  for (const { name, sentence } of knownActions) {
    expect(name).toMatch(/^[A-Z][^.]{4,40}$/)
    expect(sentence).toMatch(/^[A-Z][^.]{15,120}\.$/)
  }
  for (const area of areas) expect(knownActions.some((each) => each.area === area)).toBe(true)
})

test('an action can be named by itself exactly if a policy can hold it', () => {
  for (const action of knownActions) {
    const { success } = NewPolicy.shape.actions.safeParse([action.action])
    expect({ action: action.action, success }).toEqual({ action: action.action, success: canBeNamed(action) })
  }
})

test('an action with * is named by what it covers', () => {
  expect(actionInWords('*::*::get')).toMatchObject({ name: 'View everything' })
  expect(actionInWords('*::*::*').name).toBe('Do everything')
  expect(actionInWords('contact-service::OFFERS::put').name).toBe('Edit contacts')
  expect(actionInWords('contact-service::rdls::*')).toEqual({
    name: 'Do everything with saved filters',
    sentence: 'Covers: View saved filters, Save filters, Change saved filters, Delete saved filters.',
  })
  expect(actionInWords('bi::reports::get')).toEqual({
    name: 'View reports',
    sentence: 'Nothing in the portal needs this action now.',
  })
  expect(actionInWords('scheduler::*::get').name).toBe('View all of the scheduler')
  expect(actionInWords('nonsense')).toEqual({ name: 'nonsense', sentence: 'This is no action of the portal.' })
  expect(coveredBy('*::*::*')).toHaveLength(knownActions.length)
  expect(findAction('*::*::*')).toBeNull()
})
