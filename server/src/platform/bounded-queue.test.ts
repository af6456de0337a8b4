import { expect, test } from 'vitest'
import { createBoundedQueue } from './bounded-queue.ts'

/** Returns work that the test completes. */
function controlled() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let hasStarted = false
  return { run: () => ((hasStarted = true), promise), end: resolve, fail: reject, hasStarted: () => hasStarted }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('runs a limited number at once and queues the rest in order', async () => {
  const queue = createBoundedQueue({ atOnce: 2, waiting: 10 })
  const works = Array.from({ length: 5 }, controlled)
  const done = works.map((work) => queue(work.run))
  const started = () => works.map((work) => work.hasStarted())
  await settled()
  expect(started()).toEqual([true, true, false, false, false])
  works[1]?.end('second')
  await settled()
  expect(started()).toEqual([true, true, true, false, false])
  works[0]?.fail(new Error('broken'))
  await expect(done[0]).rejects.toThrow('broken')
  await settled()
  expect(started()).toEqual([true, true, true, true, false])
  for (const work of works) work.end('done')
  expect(await Promise.all(done.slice(1))).toEqual(['second', 'done', 'done', 'done'])
})

test('refuses work beyond its limit, and accepts work again when there is room', async () => {
  const queue = createBoundedQueue({ atOnce: 1, waiting: 2 })
  const works = Array.from({ length: 3 }, controlled)
  const done = works.map((work) => queue(work.run))
  await expect(queue(async () => 'too late')).rejects.toMatchObject({ code: 'too_many_requests' })
  for (const work of works) work.end('done')
  await Promise.all(done)
  expect(await queue(async () => 'later')).toBe('later')
})
