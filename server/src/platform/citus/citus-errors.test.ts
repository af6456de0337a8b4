import { expect, test } from 'vitest'
import { isDatabaseAway, isDiskFull, isUniqueViolation } from '../database.ts'
import { failOrRetry, systemFailureReason } from '../jobs/job-runs.ts'

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

test('a job of an account that is being moved is tried again, however often it was', async () => {
  const error = Object.assign(new Error('could not acquire the lock required to colocate distributed table'), {
    code: 'XX000',
    routine: 'AcquirePlacementColocationLock',
  })
  expect(isDatabaseAway(error)).toBe(true)
  const outcomes: unknown[] = []
  await failOrRetry({
    error,
    isInterrupted: false,
    explain: () => ({ reason: systemFailureReason(error), isFinal: false }),
    recoveryCount: 5,
    release: async () => {},
    reject: async (reason) => void outcomes.push(['rejected', reason]),
    retry: async (reason, counts) => void outcomes.push([reason, counts]),
  })
  expect(outcomes).toEqual([['The account is being moved to another server. Retrying until it is there.', false]])
})
