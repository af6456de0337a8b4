import { expect, test } from 'vitest'
import { addSample, formatPercent, formatRecordSpeed, type Job, jobTiming, pollWhileRunning, speedOf } from './jobs.ts'

const sample = (done: number, seconds: number, step = 'loading') => ({ step, done, atMs: seconds * 1000 })
const samplesOf = (...all: ReturnType<typeof sample>[]) =>
  all.reduce<readonly ReturnType<typeof sample>[]>((samples, next) => addSample(samples, next), [])

test('polls every 2 seconds only while a job runs', () => {
  const query = (...statuses: Job['status'][]) => ({
    state: { data: statuses.map((status) => ({ status })) },
  })
  expect(pollWhileRunning(query('completed', 'recovery'))).toBe(2000)
  expect(pollWhileRunning(query('waiting'))).toBe(2000)
  expect(pollWhileRunning(query('completed', 'rejected'))).toBe(false)
  expect(pollWhileRunning({ state: { data: undefined } })).toBe(false)
})

test('shows the processing time and the speed in records per hour', () => {
  const job = {
    status: 'completed',
    processedRecords: 1000,
    startDate: '2026-01-01T10:00:00Z',
    lastActivityDate: '2026-01-01T10:00:10Z',
  } as const
  expect(jobTiming(job)).toEqual({ time: '10 sec', speed: '360,000 records/hour' })
  expect(jobTiming({ ...job, lastActivityDate: job.startDate })).toEqual({ time: '0 sec', speed: '–' })
  expect(jobTiming({ ...job, startDate: null })).toBeNull()
})

test('computes the current speed from the last seconds', () => {
  expect(speedOf([])).toBeNull()
  expect(speedOf(samplesOf(sample(0, 0)))).toBeNull()
  expect(speedOf(samplesOf(sample(0, 0), sample(500, 2)))).toBe(250)
  // Slow at first, then faster: old samples no longer count.
  expect(speedOf(samplesOf(sample(0, 0), sample(10, 20), sample(1010, 30)))).toBe(100)
  // Batches that are further apart than the window still give a speed.
  expect(speedOf(samplesOf(sample(0, 0), sample(3000, 30)))).toBe(100)
})

test('restarts with a new step, and when the figures go back', () => {
  expect(samplesOf(sample(500, 0), sample(0, 1, 'indexing'))).toHaveLength(1)
  expect(samplesOf(sample(500, 0), sample(100, 1))).toHaveLength(1)
})

test('a poll without news changes nothing', () => {
  const samples = samplesOf(sample(0, 0), sample(500, 2))
  expect(addSample(samples, sample(500, 2))).toBe(samples)
})

test('rounds so that 100 % means done', () => {
  expect(formatPercent(0.999)).toBe('99%')
  expect(formatPercent(1)).toBe('100%')
  expect(formatRecordSpeed(12_345.6)).toBe('12,346 records/s')
  expect(formatRecordSpeed(1.25)).toBe('1.3 records/s')
})
