import type { Activity } from '@portico/contract/activity'
import { expect, test } from 'vitest'
import { notificationOf } from './notifications.ts'

const job: Activity = {
  kind: 'import',
  _id: '7',
  name: 'Spring leads',
  status: 'completed',
  reason: null,
  creator: 'mara@example.com',
  at: '2026-03-01T10:00:00.000Z',
  records: 60,
}
const isUnread = (until: string, ids: string[] = []): boolean => notificationOf(job, { until, ids }).isUnread

test('a job is unread if it ended after the noted time and was not noted itself', () => {
  expect(isUnread('2026-03-01T09:59:59.000Z')).toBe(true)
  expect(isUnread('2026-03-01T10:00:00.000Z')).toBe(false)
  expect(isUnread('', ['import 7'])).toBe(false)
  expect(isUnread('', ['export 7'])).toBe(true)
})

test('the first visit to an account shows no unread notifications', () => {
  expect(notificationOf(job, undefined).isUnread).toBe(false)
})
