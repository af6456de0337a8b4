import { expect, test } from 'vitest'
import { schedulerApi } from './scheduler.ts'
import { Cron, CronDraft } from './scheduler/crons.ts'
import { schedulerMessages } from './scheduler/scheduler-messages.ts'

test('a cron can be sent as it was given', () => {
  const unknown = Object.keys(Cron.shape).filter((key) => !Object.hasOwn(CronDraft.shape, key))
  expect(unknown).toEqual([])
})

test('runs are found by either name of their bounds', () => {
  const { query } = schedulerApi.listSchedules
  const moment = '2026-12-01T00:00:00.000Z'
  for (const names of [
    { from: moment, to: moment },
    { start: moment, end: moment },
  ]) {
    expect(query.parse({ consumerCode: 'bi', status: '', ...names })).toMatchObject({ consumerCode: 'BI', ...names })
  }
  expect(query.safeParse({ cronId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' }).success).toBe(true)
  expect(query.safeParse({ cronId: 'x' }).success).toBe(false)
  expect(query.parse({ status: '' }).status).toBeUndefined()
  expect(query.safeParse({ status: 'asleep' }).success).toBe(false)
})

test('upcoming runs are asked for by their end', () => {
  const { query } = schedulerApi.listCrons
  expect(query.safeParse({ consumerCode: 'EXPORT', instances: '2026-12-01T00:00:00.000Z' }).success).toBe(true)
  expect(query.safeParse({ consumerCode: 'EXPORT', instances: 'soon' }).success).toBe(false)
  expect(query.safeParse({ terminated: 'true' }).success).toBe(false)
})

test('the messages are those of the specification', () => {
  expect(schedulerMessages.added('A')).toBe('A was added.')
  expect(schedulerMessages.saved('A')).toBe('A changes were saved.')
  expect(schedulerMessages.terminated('A')).toBe('A was terminated.')
  expect(schedulerMessages.scheduled('A')).toBe("'A' was scheduled.")
  expect(schedulerMessages.confirmTerminate('A')).toBe(
    "Are you sure you want to terminate 'A'? This will also terminate all existing and future schedules.",
  )
  expect(schedulerMessages.failed('list', 'text', 500)).toBe("Error in 'list': text (status=500)")
})
