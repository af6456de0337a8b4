import { expect, test } from 'vitest'
import { isCustomFieldName } from './events.ts'

test.each(['__proto__', ' __proto__ '])('a custom event field is not named %j, whose value objects lose', (name) => {
  expect(isCustomFieldName(name)).toBe(false)
})

test.each(['Price', 'constructor', 'toString', '__proto'])('a custom event field may be named %j', (name) => {
  expect(isCustomFieldName(name)).toBe(true)
})
