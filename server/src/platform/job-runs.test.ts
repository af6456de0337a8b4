import { describe, expect, test } from 'vitest'
import { claimOf, failOrRetry, hasEnded, isStalled, retryPauseMs, systemFailureReason } from './job-runs.ts'
import { JobInterrupted } from './jobs.ts'

describe('a claim', () => {
  test('of a waiting job begins its first attempt, also when it recovered before', () => {
    expect(claimOf({ status: 'waiting', recovery_count: 2 })).toEqual({ status: 'processing', recovery_count: 2 })
  })

  test.each(['processing', 'recovery'] as const)('of a job left in %s counts as a recovery', (status) => {
    expect(claimOf({ status, recovery_count: 2 })).toEqual({ status: 'recovery', recovery_count: 3 })
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
  [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'The disk is full.'],
  [Object.assign(new Error('could not extend file'), { code: '53100' }), 'The disk is full.'],
  [Object.assign(new Error('ended'), { code: '57P01' }), 'The connection to the database was lost.'],
  [new Error('Connection terminated unexpectedly'), 'The connection to the database was lost.'],
  [new TypeError('x is undefined'), 'Something went wrong on our side.'],
  ['not even an error', 'Something went wrong on our side.'],
])('%s of the system is given to users as %j', (error, reason) => {
  expect(systemFailureReason(error)).toBe(reason)
})

describe('a failed attempt', () => {
  const after = async (failed: { isInterrupted?: boolean; isFinal?: boolean; recoveryCount?: number }) => {
    const done: string[] = []
    const { isInterrupted = false, isFinal = false, recoveryCount = 0 } = failed
    await failOrRetry({
      isInterrupted,
      explain: () => ({ reason: 'The disk is full.', isFinal }),
      recoveryCount,
      release: async () => void done.push('released'),
      reject: async (reason) => void done.push(`rejected: ${reason}`),
      retry: async (reason) => void done.push(`retried: ${reason}`),
    }).catch((error: unknown) => done.push(error instanceof JobInterrupted ? 'interrupted' : String(error)))
    return done
  }

  test('that was interrupted is released, whatever the reason', async () => {
    expect(await after({ isInterrupted: true, isFinal: true })).toEqual(['released', 'interrupted'])
  })

  test('with a final reason is rejected at once', async () => {
    expect(await after({ isFinal: true })).toEqual(['rejected: The disk is full.'])
  })

  test('is tried again five times', async () => {
    expect(await after({ recoveryCount: 4 })).toEqual(['retried: The disk is full.'])
    expect(await after({ recoveryCount: 5 })).toEqual(['rejected: Failed after 5 retries. The disk is full.'])
  })

  test('is followed by a pause of half a minute, then of four times as long each, give or take a fifth', () => {
    for (const [recoveries, pause] of [30_000, 120_000, 480_000].entries()) {
      expect(Math.abs(retryPauseMs(recoveries) / pause - 1)).toBeLessThanOrEqual(0.2001)
    }
  })
})
