import { expect, test } from 'vitest'
import { isDatabaseAway, isDiskFull, isUniqueViolation } from '../database.ts'
import { type AttemptEnd, systemFailureReason } from '../jobs/job-runs.ts'
import { runAttempt } from '../jobs/run-attempt.ts'

// The error that a coordinator of Citus 13 makes of a worker's COPY error.
const refused = (message: string, detail?: string): Error =>
  Object.assign(new Error(message), { code: 'XX000', routine: 'ReportCopyError', detail })

test('a unique violation in a COPY to another server is recognized by its detail, in any language', () => {
  const detail = 'Schlüssel »(c1)=(ada@x.org)« existiert bereits.'
  expect(isUniqueViolation(refused('doppelter Schlüsselwert verletzt Unique-Constraint', detail))).toBe(true)
  expect(isUniqueViolation(refused('value too long for type character varying(3)'))).toBe(false)
})

test('a full disk on another server is recognized in a COPY', () => {
  expect(isDiskFull(refused('could not extend file "base/5/7": No space left on device'))).toBe(true)
  expect(isDiskFull(refused('terminating connection due to administrator command'))).toBe(false)
})

test('errors of the local server keep their codes', () => {
  const internal = Object.assign(new Error('No space left on device'), { code: 'XX000', routine: 'other' })
  expect(isDiskFull(internal)).toBe(false)
})

test('a job of an account that is being moved is retried without limit', async () => {
  const error = Object.assign(new Error('could not acquire the lock required to colocate distributed table'), {
    code: 'XX000',
    routine: 'AcquirePlacementColocationLock',
  })
  expect(isDatabaseAway(error)).toBe(true)
  const ends: AttemptEnd[] = []
  const attempt = runAttempt(
    {
      claim: async () => ({}),
      work: () => Promise.reject(error),
      explain: () => ({ reason: systemFailureReason(error), isFinal: false }),
      recoveries: () => 5,
      onEnd: async (_row, end) => ends.push(end) > 0,
    },
    new AbortController().signal,
  )
  await expect(attempt).rejects.toBe(error)
  const failure = 'The account is being moved to another server. Retrying until it is there.'
  expect(ends).toEqual([{ kind: 'failed', error, failure, counts: false }])
})
