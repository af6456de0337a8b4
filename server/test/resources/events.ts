import { randomUUID } from 'node:crypto'
import type { NewEvent } from '#contacts'

/** Returns an event of a contact, without values that a test does not need. */
export const newEvent = (contactId: string, changes: Partial<NewEvent> = {}): NewEvent => ({
  id: randomUUID(),
  contactId,
  code: 'page_view',
  date: new Date('2026-05-06T07:08:09.123Z'),
  appCode: null,
  path: null,
  element: null,
  browser: null,
  os: null,
  ip: null,
  pdid: null,
  isTrigger: false,
  ...changes,
})
