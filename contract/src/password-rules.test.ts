import { expect, test } from 'vitest'
import { newPasswordFor, passwordProblem } from './password-rules.ts'

const owner = { email: 'mara.klein@example.com', userName: 'Mara Klein' }
const portal = { company: 'Acme', product: 'Portico' }

test.each([
  ['short', 'Use at least 8 characters.'],
  ['x'.repeat(129), 'Use at most 128 characters.'],
  ['mara.KLEIN 2026', 'Your password must not contain your email.'],
  ['hello mara klein!', 'Your password must not contain your name.'],
  ['!Portico2026', 'Your password must be more than the name of this portal.'],
  ['portico-PORTICO', 'Your password must be more than the name of this portal.'],
  ['seven quiet rivers run', null],
  ['portico of the seven rivers', null],
])('%j: %j', (password, problem) => {
  expect(passwordProblem(password, owner, portal)).toBe(problem)
})

test('a password may contain a name of two letters', () => {
  const li = { email: 'li@example.com', userName: null }
  expect(passwordProblem('delightful lilies', li, portal)).toBeNull()
})

test('empty portal names do not restrict passwords', () => {
  expect(
    passwordProblem('20262026', { email: 'a@example.com', userName: null }, { company: '', product: '' }),
  ).toBeNull()
})

test('the schema reports each problem once', () => {
  const { error } = newPasswordFor(owner, portal).safeParse('short')
  expect(error?.issues.map(({ message }) => message)).toEqual(['Use at least 8 characters.'])
})
