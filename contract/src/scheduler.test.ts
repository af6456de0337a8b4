import { expect, test } from 'vitest'
import { schedulerApi } from './scheduler.ts'
import { minuteChoices } from '@portico/domain/scheduler/cron-parts'
import { timeInWords } from '@portico/domain/scheduler/time-words'
import { Cron, CronDraft, leastPort, transferProtocols } from './scheduler/crons.ts'
import { downloadDelimiters } from './scheduler/instructions.ts'
import { customOffset, offsetChoices } from '@portico/domain/scheduler/offset-window'
import { schedulerMessages } from './scheduler/scheduler-messages.ts'
import { hourFilters, scheduleStatuses, weekdayFilters } from './scheduler/schedules.ts'

test('a cron that was read can be sent back', () => {
  const unknown = Object.keys(Cron.shape).filter((key) => !Object.hasOwn(CronDraft.shape, key))
  expect(unknown).toEqual([])
})

test('runs can be filtered by either name of their bounds', () => {
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

test('upcoming runs are requested by their end', () => {
  const { query } = schedulerApi.listCrons
  expect(query.safeParse({ consumerCode: 'EXPORT', instances: '2026-12-01T00:00:00.000Z' }).success).toBe(true)
  expect(query.safeParse({ consumerCode: 'EXPORT', instances: 'soon' }).success).toBe(false)
  expect(query.safeParse({ terminated: 'true' }).success).toBe(false)
})

test('the messages match the specification', () => {
  expect(schedulerMessages.added('A')).toBe('A was added.')
  expect(schedulerMessages.saved('A')).toBe('A changes were saved.')
  expect(schedulerMessages.terminated('A')).toBe('A was terminated.')
  expect(schedulerMessages.scheduled('A')).toBe("'A' was scheduled.")
  expect(schedulerMessages.confirmTerminate('A')).toBe(
    "Are you sure you want to terminate 'A'? This will also terminate all existing and future schedules.",
  )
  expect(schedulerMessages).toMatchObject({
    cancelled: 'Scheduling process was cancelled.',
    contactAdmin: 'Contact your admin to see how you can get this feature.',
    notAllowed: "You don't have permission to view crons!",
    nameTaken: 'Name already exists!',
    past: 'Value is past!',
    offsetTooGreat: 'Value cannot be greater than 93',
    noInstruction: 'instruction has not been provided!',
    noSchedule: 'N/A',
  })
  expect(schedulerMessages.badEmail('X')).toBe('X is invalid!')
  expect(schedulerMessages.failed('list', 'text', 500)).toBe("Error in 'list': text (status=500)")
})

test('the choices of the calendar match the specification', () => {
  expect(scheduleStatuses).toEqual(['waiting', 'processing', 'recovery', 'completed', 'terminated', 'upcoming'])
  expect(hourFilters).toEqual(['0-6', '6-6', '0-12', '12-6', '18-6', '12-12', '0-24'])
  expect(weekdayFilters).toEqual({ 'all week': [1, 2, 3, 4, 5, 6, 7], 'Mon-Fri': [1, 2, 3, 4, 5], 'Sat-Sun': [6, 7] })
})

test('the choices of the cron dialog match the specification', () => {
  const days = ['1 day', '2 days', '3 days', '7 days', '15 days', '30 days'].map((text) => `${text} before`)
  const spans = ['Last week', 'Last month', 'Last quarter', 'Current week', 'Current month', 'Current quarter']
  expect(Object.values(offsetChoices)).toEqual(['Schedule day', ...days, ...spans])
  expect(customOffset).toEqual({ least: 4, most: 93 })
  expect(minuteChoices).toEqual([0, 15, 30, 45])
  expect(timeInWords(0)).toBe('12:00 AM')
  expect(timeInWords(23 * 60)).toBe('11:00 PM')
  // Workbooks go beyond the specification.
  expect(downloadDelimiters).toEqual(['comma', 'pipe', 'tab', 'xlsx'])
  expect(transferProtocols).toEqual(['', 'sftp'])
  expect(leastPort).toBe(25)
})
