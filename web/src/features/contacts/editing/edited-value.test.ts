import { expect, test } from 'vitest'
import { beSignedIn } from '#test/server.ts'
import { readText, textOf } from './edited-value.ts'

test.each([0, -0.5, 1250.5, 1e21, 1.5e-7, -2e-300, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE])(
  'the number %d parses back from its text',
  (value) => expect(readText(textOf(value, 'number'), 'number')).toBe(value),
)

test.each(['1e999', '1e', 'e5', '0x10', '1,250', 'Infinity'])('%s is not a number', (text) =>
  expect(readText(text, 'number')).toBeUndefined(),
)

test.each([
  ['2026-01-31T09:30:15.250Z', '2026-01-31T04:30:15.25'],
  ['2026-01-31T09:30:15.007Z', '2026-01-31T04:30:15.007'],
  ['2026-01-31T09:30:10Z', '2026-01-31T04:30:10'],
  ['2026-01-31T09:30:15Z', '2026-01-31T04:30:15'],
])('the moment %s is shown in the zone of the account with its milliseconds', (moment, shown) => {
  beSignedIn({ policies: [], timeZone: 'America/New_York' })
  expect(textOf(moment, 'date')).toBe(shown)
})
