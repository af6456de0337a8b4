import { CollectedEvents } from '@portico/contract/public-access'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeEvent, now, selectorOf } from './event.ts'

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-04T05:06:07.089Z'), toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

test('an event has a code, a time, a path, a unique id and details', () => {
  const event = makeEvent('order', '/offers', { amount: 12.5, isGift: false, color: 'red' })
  expect(event).toEqual({
    id: expect.stringMatching(/^(\d+-){3}\d+$/),
    event_code: 'order',
    event_date: '2026-03-04T05:06:07.089Z',
    event_path: '/offers',
    amount: 12.5,
    isGift: false,
    color: 'red',
  })
  expect(makeEvent('order', '/offers')['id']).not.toBe(event['id'])
})

test('details that the portal would refuse are omitted, and long texts are cut', () => {
  const details = {
    note: 'n'.repeat(501),
    ['x'.repeat(51)]: 'long name',
    '': 'no name',
    nothing: null,
    missing: undefined,
    endless: Infinity,
    list: [1],
    object: {},
    method: () => {},
    id: 'mine',
    event_date: 'yesterday',
  }
  const { id, ...event } = makeEvent('c'.repeat(201), `/${'p'.repeat(600)}`, details)
  expect(id).not.toBe('mine')
  expect(event).toEqual({
    event_code: 'c'.repeat(200),
    event_date: '2026-03-04T05:06:07.089Z',
    event_path: `/${'p'.repeat(499)}`,
    note: 'n'.repeat(500),
  })
})

test('an event has at most twelve fields of the page', () => {
  const details = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field ${index}`, index]))
  expect(Object.keys(makeEvent('many', '/', details))).toHaveLength(12 + 4)
})

test('the portal accepts the events', () => {
  const events = [
    makeEvent('page_view', '/'),
    makeEvent('order', '/', { event_element: 'a', app_code: 'web', amount: 1 }),
  ]
  const batch = { sentAt: now(), events }
  expect(CollectedEvents.parse(batch)).toEqual(batch)
})

test.each([
  ['<button id="order" class="big">', 'button#order'],
  ['<a class="link call-to-action">', 'a.link.call-to-action'],
  ['<form>', 'form'],
])('%s is recorded as %s', (html, selector) => {
  document.body.innerHTML = html
  const element = document.body.firstElementChild
  expect(element && selectorOf(element)).toBe(selector)
})
