import { expect, test } from 'vitest'
import { greeting } from './greeting.ts'

const at = (hour: number): Date => new Date(2026, 2, 1, hour)

test('greets by the hour and the first name', () => {
  expect(greeting(at(5), 'Mara Klein')).toBe('Good morning, Mara')
  expect(greeting(at(12), ' Mara ')).toBe('Good afternoon, Mara')
  expect(greeting(at(18), 'Mara Klein')).toBe('Good evening, Mara')
  expect(greeting(at(4), 'mara.klein@example.com')).toBe('Good evening, mara.klein@example.com')
})
