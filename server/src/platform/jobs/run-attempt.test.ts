import type { JobStatus } from '@portico/contract/jobs'
import { describe, expect, test } from 'vitest'
import { type AttemptEnd, AttemptLost, JobRefused } from './job-runs.ts'
import { JobInterrupted } from './jobs.ts'
import { claimJob, runAttempt } from './run-attempt.ts'

const away = () => new Error('Connection terminated')

describe('a failed attempt', () => {
  type Failed = {
    error?: Error
    isInterrupted?: boolean
    isFinal?: boolean
    isTaken?: boolean
    recoveryCount?: number
    awayFor?: number
    enqueuesRetries?: boolean
    hasFilledDisk?: boolean
  }
  /** Makes an attempt that fails, and returns what follows. */
  const after = async ({ awayFor = 0, enqueuesRetries = true, isTaken = false, ...failed }: Failed) => {
    const done: string[] = []
    const { isInterrupted = false, isFinal = false, recoveryCount = 0, error = new Error('broken') } = failed
    const onEnd = async (_row: object, end: AttemptEnd) => {
      if (isTaken) return false
      if (end.kind === 'failed' && awayFor-- > 0) throw away()
      if (end.kind === 'interrupted') done.push('released')
      else if (end.kind === 'rejected') done.push(`rejected: ${end.reason}`)
      else done.push(`retried${end.counts ? '' : ', not counted'}: ${end.failure}`)
      return true
    }
    const job = {
      claim: async () => ({}),
      work: () => Promise.reject(error),
      explain: () => ({ reason: 'It broke.', isFinal }),
      recoveries: () => recoveryCount,
      onEnd,
      enqueuesRetries,
      cleanUp: async () => void done.push('cleaned up'),
      hasFilledDisk: async () => failed.hasFilledDisk ?? false,
    }
    await runAttempt(job, isInterrupted ? AbortSignal.abort() : new AbortController().signal).catch((thrown: unknown) =>
      done.push(thrown instanceof JobInterrupted ? 'interrupted' : String(thrown)),
    )
    expect(done).toContain('cleaned up')
    return done.filter((step) => step !== 'cleaned up')
  }

  test('that was interrupted is released, regardless of the reason', async () => {
    expect(await after({ isInterrupted: true, isFinal: true })).toEqual(['released', 'interrupted'])
  })

  test('with a final reason is rejected immediately', async () => {
    expect(await after({ isFinal: true })).toEqual(['rejected: It broke.'])
  })

  test('is retried five times', async () => {
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
  ])('by %s is retried without limit', async (_name, error) => {
    expect(await after({ error, recoveryCount: 5 })).toEqual(['retried, not counted: It broke.'])
  })

  test('by a full disk counts if it has filled the disk itself', async () => {
    const full = { error: Object.assign(new Error('could not extend file'), { code: '53100' }), hasFilledDisk: true }
    expect(await after({ ...full, recoveryCount: 4 })).toEqual([
      expect.stringMatching(/^retried: There is not enough disk/),
    ])
    expect(await after({ ...full, recoveryCount: 5 })).toEqual([
      expect.stringMatching(/^rejected: Failed after 5 retries. There is not enough disk space/),
    ])
    // No other failure fills a disk.
    expect(await after({ hasFilledDisk: true })).toEqual(['retried: It broke.'])
  })

  test('whose outcome cannot be recorded is recorded once the database is back, and does not count', async () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
    expect(await after({ error, recoveryCount: 4, awayFor: 2 })).toEqual(['retried, not counted: It broke.'])
    // The same error, but from another server.
    expect(await after({ error, recoveryCount: 5 })).toEqual(['rejected: Failed after 5 retries. It broke.'])
  })

  test('whose row was changed by another attempt records nothing, and goes back to the queue', async () => {
    expect(await after({ error: new AttemptLost() })).toEqual([String(new AttemptLost())])
    for (const isFinal of [true, false]) {
      expect(await after({ isFinal, isTaken: true })).toEqual([String(new AttemptLost())])
    }
  })

  test('that is refused is rejected with the reason, even while the worker stops', async () => {
    expect(await after({ error: new JobRefused('Not now.'), isInterrupted: true })).toEqual(['rejected: Not now.'])
  })

  test('goes back to the queue, unless the job has enqueued the next', async () => {
    expect(await after({ enqueuesRetries: false })).toEqual(['retried: It broke.', 'Error: broken'])
  })
})

describe('an attempt', () => {
  const never = async () => expect.unreachable()
  const job = { explain: never, onEnd: never, cleanUp: never }
  const { signal } = new AbortController()

  test('does nothing when there is no job to claim', async () => {
    await expect(runAttempt({ ...job, claim: async () => null, work: never }, signal)).resolves.toBeUndefined()
  })

  test('whose row changed after it was read goes back to the queue, unless the job has ended', async () => {
    const row = { status: 'waiting' as const, recovery_count: 0 }
    const claim = (now: JobStatus) => {
      const states: JobStatus[] = ['waiting', now]
      return claimJob(
        undefined,
        async () => ({ ...row, status: states.shift() ?? now }),
        async () => undefined,
      )
    }
    await expect(claim('recovery')).rejects.toThrow(AttemptLost)
    await expect(claim('processing')).rejects.toThrow(AttemptLost)
    expect(await claim('completed')).toBe(null)
  })

  test('that must not be repeated is recorded once the database is back', async () => {
    const recorded: string[] = []
    let awayFor = 2
    const onDone = async (row: string, done: string) => {
      if (awayFor-- > 0) throw away()
      recorded.push(`${row} ${done}`)
    }
    await runAttempt({ ...job, claim: async () => 'row', work: async () => 'sent', onDone }, signal)
    expect(recorded).toEqual(['row sent'])
  })
})
