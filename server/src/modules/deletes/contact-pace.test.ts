import { expect, test } from 'vitest'
import { ContactPace } from './contact-pace.ts'

test.each([
  [1, 2000],
  [10, 2000],
  [40, 500],
  [3800, 5],
  [1_000_000, 1],
])('in an account with %i fields it begins with %i contacts', (fields, contacts) => {
  expect(new ContactPace(fields).atOnce).toBe(contacts)
})

test('grows while steps are quick, and shrinks in proportion after a slow one', () => {
  const pace = new ContactPace(40)
  const after = (ms: number): number => {
    pace.took(ms)
    return pace.atOnce
  }
  expect([after(10), after(400), after(249), after(10)]).toEqual([1000, 1000, 2000, 2000])
  expect([after(501), after(5000), after(600_000)]).toEqual([998, 49, 1])
  expect([after(10), after(10)]).toEqual([2, 4])
})

test('is an eighth of the contacts among which one could not be taken', () => {
  const pace = new ContactPace(1)
  pace.failed(100)
  expect(pace.atOnce).toBe(13)
})
