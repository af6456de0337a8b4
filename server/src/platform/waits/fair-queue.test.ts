import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Returns a queue, and the work that it has started so far; the test ends work by name. */
function queueOf(limits: Parameters<typeof createFairQueue>[0]) {
  const queue = createFairQueue(limits)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const add = (owner: string, name: string) =>
    queue(owner, () => {
      started.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await settled()
  }
  return { add, end, started }
}

test('slow work of one owner neither delays nor blocks that of others', async () => {
  const { add, end, started } = queueOf({ atOnce: 4, each: 2, waiting: 4 })
  const done = Array.from({ length: 6 }, (_, at) => add('slow', `slow ${at}`))
  await expect(add('slow', 'one too many')).rejects.toMatchObject({ code: 'too_many_requests' })
  done.push(add('other', 'other'))
  await settled()
  expect(started).toEqual(['slow 0', 'slow 1', 'other'])
  await end('slow 0')
  expect(started.at(-1)).toBe('slow 2')
  for (const name of ['other', ...[1, 2, 3, 4, 5].map((at) => `slow ${at}`)]) await end(name)
  expect(await Promise.all(done)).toHaveLength(7)
})

test('owners take turns', async () => {
  const { add, end, started } = queueOf({ atOnce: 1, each: 1, waiting: 3 })
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']
  const done = names.map((name) => add(name.charAt(0), name))
  await settled()
  for (let turn = 0; turn < names.length; turn++) await end(started.at(-1) ?? '')
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  await Promise.all(done)
})

test('failed work frees its place, and owners without work are forgotten', async () => {
  const queue = createFairQueue({ atOnce: 1, each: 1, waiting: 0 })
  for (let time = 0; time < 3; time++) {
    await expect(queue('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  }
  expect(await queue('b', async () => 'done')).toBe('done')
})

test('a caller who leaves gives up their place in the queue', async () => {
  const queue = createFairQueue({ atOnce: 1, each: 1, waiting: 1 })
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = queue('a', () => promise)
  const gone = new AbortController()
  const left = queue('a', async () => 'left', gone.signal)
  const other = queue('b', async () => 'other', gone.signal)
  gone.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(other).rejects.toThrow('gone')
  const next = queue('a', async () => 'next')
  resolve('first')
  expect(await Promise.all([first, next])).toEqual(['first', 'next'])
  await expect(queue('a', async () => 'late', gone.signal)).rejects.toThrow('gone')
})
