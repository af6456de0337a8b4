import { describe, expect, test } from 'vitest'
import {
  claimColumns,
  hasEnded,
  isStalled,
  retryPauseMs,
  spentReason,
  systemFailureReason,
  uncounted,
} from './job-runs.ts'

describe('a claim', () => {
  test('of a waiting job starts its first attempt, even after recoveries', () => {
    expect(claimColumns({ status: 'waiting', recovery_count: 2 })).toEqual({ status: 'processing', recovery_count: 2 })
  })

  test.each(['processing', 'recovery'] as const)('of a job left in %s counts as a recovery', (status) => {
    expect(claimColumns({ status, recovery_count: 2 })).toEqual({ status: 'recovery', recovery_count: 3 })
  })

  test.each(['processing', 'recovery'] as const)(
    'after an outage of the server does not count as a recovery: %s',
    (status) => {
      const claimed = claimColumns({ status, recovery_count: 2 }, { isAfterOutage: true })
      expect(claimed).toEqual({ status: 'recovery', recovery_count: 2 })
      expect(uncounted(claimed, { isAfterOutage: true })).toBe(2)
    },
  )

  test('is not possible once the job has ended', () => {
    expect(['waiting', 'processing', 'recovery', 'completed', 'rejected'].filter((s) => hasEnded(s as never))).toEqual([
      'completed',
      'rejected',
    ])
  })

  test('fails once the workers of all six attempts have died', () => {
    expect([5, 6].map((recovery_count) => spentReason({ recovery_count }, 'They died.'))).toEqual([
      null,
      'Failed after 5 retries. They died.',
    ])
  })

  test('fails after five attempts without progress', () => {
    expect([4, 5].map(isStalled)).toEqual([false, true])
  })
})

test.each([
  [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'The disk is full. Retrying until there is space.'],
  [
    Object.assign(new Error('could not extend file'), { code: '53100' }),
    'The disk is full. Retrying until there is space.',
  ],
  [Object.assign(new Error('ended'), { code: '57P01' }), 'The connection to the database was lost.'],
  [new Error('Connection terminated unexpectedly'), 'The connection to the database was lost.'],
  [
    Object.assign(new Error('connection to the remote node'), { severity: 'ERROR', code: '08006' }),
    'A server of the database cannot be reached. Retrying until it is back.',
  ],
  [new TypeError('x is undefined'), 'Something went wrong on our side.'],
  ['not even an error', 'Something went wrong on our side.'],
])('the system error %s is shown to users as %j', (error, reason) => {
  expect(systemFailureReason(error)).toBe(reason)
})

test('retries wait half a minute, then four times as long each time, give or take a fifth', () => {
  for (const [recoveries, pause] of [30_000, 120_000, 480_000].entries()) {
    expect(Math.abs(retryPauseMs(recoveries) / pause - 1)).toBeLessThanOrEqual(0.2001)
  }
})
