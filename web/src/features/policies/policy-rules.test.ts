import { messages } from '@portico/contract/messages'
import { expect, test } from 'vitest'
import { actionProblems, checkCondition, nextParamKey, policySchema, renumberParams } from './policy-rules.ts'
import { resourceChoices } from '#domain/access'

const aPolicy = {
  name: 'Reports',
  isAdmin: false,
  actions: ['bi::reports::get'],
  conditions: [],
  conditionLogic: 'and',
}
const problemsOf = (change: Record<string, unknown>, taken: string[] = []): string[] =>
  policySchema(new Set(taken))
    .safeParse({ ...aPolicy, ...change })
    .error?.issues.map(({ message }) => message) ?? []

test('a name has 5 to 50 characters and is unique in any letter case', () => {
  expect(problemsOf({ name: 'Reports' })).toEqual([])
  expect(problemsOf({ name: ' ' })).toContain(messages.required)
  expect(problemsOf({ name: 'Four' })).toEqual([messages.min5])
  expect(problemsOf({ name: 'x'.repeat(51) })).toEqual([messages.max50])
  expect(problemsOf({ name: ' REPORTS ' }, ['reports'])).toEqual([messages.duplicatePolicy])
  expect(problemsOf({ name: 'RE\u0301PONSES' }, ['réponses'])).toEqual([messages.duplicatePolicy])
})

test('a policy requires an action', () => {
  expect(problemsOf({ actions: [] })).toEqual(['Please add one action.'])
})

test('an action requires all its parts, and a duplicate is reported with its position', () => {
  const actions = ['bi::*::get', 'bi::reports::get']
  const parts = { microservice: 'bi', resource: 'reports', method: 'get' }
  expect(actionProblems({ ...parts, resource: '', method: '' }, actions, null)).toEqual({
    resource: messages.required,
    method: messages.required,
  })
  expect(actionProblems(parts, actions, null)).toEqual({ microservice: 'This action is at position 2 already!' })
  expect(actionProblems(parts, actions, 1)).toEqual({})
})

test('the resources are those of the service, with * for all', () => {
  expect(resourceChoices('scheduler')).toEqual(['crons', 'schedules', '*'])
  expect(resourceChoices('*')).toContain('offers')
  expect(resourceChoices('*').filter((name) => name === 'downloads')).toHaveLength(1)
})

test('a condition requires all its parts, is unique in any letter case, and must be valid', () => {
  const conditions = ['body::status::eq::draft']
  const parts = { option: 'body', key: 'status', operator: 'eq', value: 'Draft' }
  expect(checkCondition({ ...parts, option: '', key: ' ', operator: '', value: '' }, conditions, null)).toEqual({
    problems: {
      option: messages.required,
      key: messages.required,
      operator: messages.required,
      value: messages.required,
    },
  })
  expect(checkCondition(parts, conditions, null)).toEqual({
    problems: { option: 'This condition is at position 1 already!' },
  })
  expect(checkCondition(parts, conditions, 0)).toEqual({ text: 'body::status::eq::Draft' })
  expect(checkCondition({ ...parts, value: 'x'.repeat(2000) }, [], null)).toEqual({
    problems: { value: messages.invalid },
  })
  expect(checkCondition({ ...parts, option: 'param', key: 'first' }, [], null)).toEqual({
    problems: { key: messages.invalid },
  })
})

test('path parameters are numbered onward, and renumbered from 0 in order', () => {
  const conditions = ['param::2::eq::a', 'query::page::eq::1', 'param::7::eq::b::c']
  expect(nextParamKey(conditions)).toBe('2')
  expect(nextParamKey([])).toBe('0')
  expect(renumberParams(conditions)).toEqual(['param::0::eq::a', 'query::page::eq::1', 'param::1::eq::b::c'])
})

test('a contains condition on a filter is refused at its operator', () => {
  const parts = { option: 'query', key: 'find', operator: 'ct', value: '"City":"Bern"' } as const
  expect(checkCondition(parts, [], null)).toEqual({ problems: { operator: messages.cannotChooseContacts } })
  expect(checkCondition({ ...parts, operator: 'nct' }, [], null)).toEqual({ text: 'query::find::nct::"City":"Bern"' })
})
