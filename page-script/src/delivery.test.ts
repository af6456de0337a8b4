import { collectorLimits } from '@portico/contract/public-access'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { pauseMs } from './call-timer.ts'
import { type Calls, startDelivery } from './delivery.ts'
import { batchLimits, waitingLimit } from './event-queue.ts'
import type { PageEvent } from './event.ts'

/** No response: the network failed, or the browser withheld the response from the page. */
const lost = 0

/** A portal that gives the listed responses, and records the calls. */
function makePortal(reads: number[], sends: number[] | ((events: string[]) => number)) {
  const calls: (string | string[])[] = []
  const answer = (status = 202) => (status === lost ? Promise.reject(new TypeError('failed')) : Promise.resolve(status))
  const portal: Calls = {
    read: () => {
      calls.push('read')
      return answer(reads.shift() ?? 200)
    },
    send: (events) => {
      const ids = events.map(({ id }) => String(id))
      calls.push(ids)
      return answer(typeof sends === 'function' ? sends(ids) : sends.shift())
    },
  }
  return { portal, calls }
}

const event = (id: string | number, text = ''): PageEvent => ({ id: String(id), text })
const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => String(from + index))
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

let isOnline = true

beforeEach(() => {
  isOnline = true
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0)
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => isOnline)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('events are sent', () => {
  test('once the visitor is read, then together after a pause', async () => {
    const { portal, calls } = makePortal([], [])
    const delivery = startDelivery(portal)
    delivery.add(event('view'))
    await pass(0)
    expect(calls).toEqual(['read', ['view']])
    delivery.add(event('click'))
    await pass(pauseMs - 1)
    delivery.add(event('submit'))
    expect(calls).toHaveLength(2)
    await pass(1)
    expect(calls).toEqual(['read', ['view'], ['click', 'submit']])
  })

  test('in batches within the limits of the portal', async () => {
    const { portal, calls } = makePortal([], [])
    const delivery = startDelivery(portal)
    for (const id of ids(0, 250)) delivery.add(event(id))
    await pass(0)
    expect(calls).toEqual(['read', ids(0, 100), ids(100, 200), ids(200, 250)])
    expect(batchLimits.events).toBeLessThanOrEqual(collectorLimits.events)
    expect(batchLimits.bytes).toBeLessThan(collectorLimits.bodyBytes)
  })

  test('in batches small enough, in bytes, to outlive the page', async () => {
    const { portal, calls } = makePortal([], [])
    const delivery = startDelivery(portal)
    // 3 bytes per letter.
    for (const id of ids(0, 5)) delivery.add(event(id, '€'.repeat(5_000)))
    delivery.add(event('huge', 'x'.repeat(batchLimits.bytes)))
    await pass(0)
    expect(calls).toEqual(['read', ['0', '1'], ['2', '3'], ['4'], ['huge']])
  })

  test('immediately when the page may close, even before the visitor is known', () => {
    const { portal, calls } = makePortal([], [])
    const delivery = startDelivery(portal)
    for (const id of ids(0, 101)) delivery.add(event(id))
    delivery.flush()
    delivery.flush()
    expect(calls).toEqual(['read', ids(0, 100), ['100']])
  })
})

describe('a failed call', () => {
  test.each([lost, 429, 500, 503])('is retried after growing pauses: %i', async (status) => {
    const { portal, calls } = makePortal([], [status, status, 202])
    const delivery = startDelivery(portal)
    delivery.add(event(1))
    await pass(0)
    delivery.add(event(2))
    await pass(pauseMs - 1)
    expect(calls).toEqual(['read', ['1']])
    await pass(1)
    expect(calls).toEqual(['read', ['1'], ['1', '2']])
    await pass(2 * pauseMs - 1)
    expect(calls).toHaveLength(3)
    await pass(1)
    expect(calls).toEqual(['read', ['1'], ['1', '2'], ['1', '2']])
    await pass(100 * pauseMs)
    expect(calls).toHaveLength(4)
  })

  test('to read the visitor is retried, and events wait', async () => {
    const { portal, calls } = makePortal([lost], [])
    const delivery = startDelivery(portal)
    delivery.add(event(1))
    await pass(pauseMs)
    expect(calls).toEqual(['read', 'read', ['1']])
  })

  test('when the page seemed to close, but stays open, is retried', async () => {
    const { portal, calls } = makePortal([], [lost])
    const delivery = startDelivery(portal)
    await pass(0)
    delivery.add(event(1))
    delivery.flush()
    await pass(pauseMs)
    expect(calls).toEqual(['read', ['1'], ['1']])
  })

  test('is retried only once the browser is online', async () => {
    const { portal, calls } = makePortal([], [lost])
    const delivery = startDelivery(portal)
    delivery.add(event(1))
    await pass(0)
    isOnline = false
    delivery.add(event(2))
    await pass(100 * pauseMs)
    delivery.flush()
    expect(calls).toEqual(['read', ['1']])
    isOnline = true
    delivery.resume()
    await pass(0)
    expect(calls).toEqual(['read', ['1'], ['1', '2']])
  })
})

describe('a refused call', () => {
  test('for the visitor ends all calls', async () => {
    const { portal, calls } = makePortal([404], [])
    const delivery = startDelivery(portal)
    delivery.add(event(1))
    await pass(0)
    delivery.add(event(2))
    delivery.flush()
    await pass(100 * pauseMs)
    expect(calls).toEqual(['read'])
  })

  test('for events of a deleted contact ends all calls', async () => {
    const { portal, calls } = makePortal([], [404])
    const delivery = startDelivery(portal)
    for (const id of ids(0, 300)) delivery.add(event(id))
    await pass(100 * pauseMs)
    expect(calls).toEqual(['read', ids(0, 100)])
  })

  test('for one invalid event loses no other events', async () => {
    const arrived: string[] = []
    const { portal } = makePortal([], (batch) => {
      if (batch.includes('13')) return 400
      arrived.push(...batch)
      return 202
    })
    const delivery = startDelivery(portal)
    for (const id of ids(0, 250)) delivery.add(event(id))
    await pass(0)
    expect(arrived).toEqual(ids(0, 250).filter((id) => id !== '13'))
  })
})

test('the oldest events are dropped when the queue is full', async () => {
  const { portal, calls } = makePortal([lost], [])
  const delivery = startDelivery(portal)
  for (const id of ids(0, waitingLimit + 1)) delivery.add(event(id))
  await pass(pauseMs)
  expect(calls.slice(2).flat()).toEqual(ids(1, waitingLimit + 1))
})

test('stopping ends all calls and clears the queue', async () => {
  const { portal, calls } = makePortal([], [lost])
  const delivery = startDelivery(portal)
  delivery.add(event(1))
  await pass(0)
  delivery.stop()
  delivery.add(event(2))
  delivery.flush()
  delivery.resume()
  await pass(100 * pauseMs)
  expect(calls).toEqual(['read', ['1']])
})
