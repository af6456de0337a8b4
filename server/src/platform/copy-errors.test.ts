import { expect, test } from 'vitest'
import { isDiskFull, isUniqueViolation } from './database.ts'

// As a coordinator of Citus 13 passes on what a worker says to a COPY.
const refused = (message: string, detail?: string): Error =>
  Object.assign(new Error(message), { code: 'XX000', routine: 'ReportCopyError', detail })

test('a repeated value in a COPY to another server is recognized by the detail, in any language', () => {
  const detail = 'Schlüssel »(c1)=(ada@x.org)« existiert bereits.'
  expect(isUniqueViolation(refused('doppelter Schlüsselwert verletzt Unique-Constraint', detail))).toBe(true)
  expect(isUniqueViolation(refused('value too long for type character varying(3)'))).toBe(false)
})

test('a full disk of another server is recognized in a COPY', () => {
  expect(isDiskFull(refused('could not extend file "base/5/7": No space left on device'))).toBe(true)
  expect(isDiskFull(refused('terminating connection due to administrator command'))).toBe(false)
})

test('errors of this server keep their codes', () => {
  const internal = Object.assign(new Error('No space left on device'), { code: 'XX000', routine: 'other' })
  expect(isDiskFull(internal)).toBe(false)
})
