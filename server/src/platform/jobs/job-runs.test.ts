import { describe, expect, test } from 'vitest'
import { claimOf, failOrRetry, hasEnded, isStalled, retryPauseMs, systemFailureReason, uncounted } from './job-runs.ts'
import { JobInterrupted } from './jobs.ts'

describe('a claim', () => {
  test('of a waiting job begins its first attempt, also when it recovered before', () => {
    expect(claimOf({ status: 'waiting', recovery_count: 2 })).toEqual({ status: 'processing', recovery_count: 2 })
  })

  test.each(['processing', 'recovery'] as const)('of a job left in %s counts as a recovery', (status) => {
    expect(claimOf({ status, recovery_count: 2 })).toEqual({ status: 'recovery', recovery_count: 3 })
  })

  test.each(['processing', 'recovery'] as const)('after an outage of the server counts no recovery: %s', (status) => {
    const claimed = claimOf({ status, recovery_count: 2 }, { isAfterOutage: true })
    expect(claimed).toEqual({ status: 'recovery', recovery_count: 2 })
    expect(uncounted(claimed, { isAfterOutage: true })).toBe(2)
  })

  test('finds nothing to do when the job has ended', () => {
    expect(['waiting', 'processing', 'recovery', 'completed', 'rejected'].filter((s) => hasEnded(s as never))).toEqual([
      'completed',
      'rejected',
    ])
  })

  test('gives up after five attempts without progress', () => {
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
])('%s of the system is given to users as %j', (error, reason) => {
  expect(systemFailureReason(error)).toBe(reason)
})

describe('a failed attempt', () => {
  type Failed = { error?: Error; isInterrupted?: boolean; isFinal?: boolean; recoveryCount?: number; awayFor?: number }
  const after = async ({ awayFor = 0, ...failed }: Failed) => {
    const done: string[] = []
    const { isInterrupted = false, isFinal = false, recoveryCount = 0, error = new Error('broken') } = failed
    await failOrRetry({
      error,
      isInterrupted,
      explain: () => ({ reason: 'It broke.', isFinal }),
      recoveryCount,
      release: async () => void done.push('released'),
      reject: async (reason) => void done.push(`rejected: ${reason}`),
      retry: async (reason, counts) => {
        if (awayFor-- > 0) throw new Error('Connection terminated')
        done.push(`retried${counts ? '' : ', not counted'}: ${reason}`)
      },
    }).catch((error: unknown) => done.push(error instanceof JobInterrupted ? 'interrupted' : String(error)))
    return done
  }

  test('that was interrupted is released, whatever the reason', async () => {
    expect(await after({ isInterrupted: true, isFinal: true })).toEqual(['released', 'interrupted'])
  })

  test('with a final reason is rejected at once', async () => {
    expect(await after({ isFinal: true })).toEqual(['rejected: It broke.'])
  })

  test('is tried again five times', async () => {
    expect(await after({ recoveryCount: 4 })).toEqual(['retried: It broke.'])
    expect(await after({ recoveryCount: 5 })).toEqual(['rejected: Failed after 5 retries. It broke.'])
  })

  test.each([
    ['a full disk', Object.assign(new Error('write'), { code: 'ENOSPC' })],
    ['a database without space', Object.assign(new Error('could not extend file'), { code: '53100' })],
    [
      'a file that the storage had no space for',
      new Error('not enough', { cause: Object.assign(new Error('quota'), { code: 'EDQUOT' }) }),
    ],
    ['a crash of the database', Object.assign(new Error('terminating connection'), { code: '57P02' })],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
  ])('by %s is tried again for as long as it takes', async (_name, error) => {
    expect(await after({ error, recoveryCount: 5 })).toEqual(['retried, not counted: It broke.'])
  })

  test('whose outcome cannot be recorded is recorded once the database is back, and does not count', async () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
    expect(await after({ error, recoveryCount: 4, awayFor: 2 })).toEqual(['retried, not counted: It broke.'])
    // The same error, of another server.
    expect(await after({ error, recoveryCount: 5 })).toEqual(['rejected: Failed after 5 retries. It broke.'])
  })

  test('is followed by a pause of half a minute, then of four times as long each, give or take a fifth', () => {
    for (const [recoveries, pause] of [30_000, 120_000, 480_000].entries()) {
      expect(Math.abs(retryPauseMs(recoveries) / pause - 1)).toBeLessThanOrEqual(0.2001)
    }
  })
})
