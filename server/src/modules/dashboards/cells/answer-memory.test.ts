import { expect, test, vi } from 'vitest'
import { AnswerMemory } from './answer-memory.ts'

const never = new AbortController().signal
const always = { signal: never, holds: () => true }

test('a question is computed once, and again when its answer is outdated', async () => {
  const memory = new AnswerMemory<number>(1000, () => 10)
  const work = vi.fn<() => Promise<number>>(async () => Promise.resolve(7))
  const [one, other] = await Promise.all([memory.answer('a', always, work), memory.answer('a', always, work)])
  expect(one).toBe(other)
  await memory.answer('a', always, work)
  expect(work).toHaveBeenCalledTimes(1)
  await memory.answer('a', { signal: never, holds: () => false }, work)
  expect(work).toHaveBeenCalledTimes(2)
})

test('the least recently used answers are evicted, and large ones are not cached', async () => {
  const memory = new AnswerMemory<string>(100, (value) => value.length)
  const work = vi.fn<() => Promise<string>>(async () => Promise.resolve('x'.repeat(20)))
  for (const key of ['a', 'b', 'c', 'd', 'a', 'e']) await memory.answer(key, always, work)
  expect(work).toHaveBeenCalledTimes(5)
  // "b" was removed to make room for "e"; "a" was used more recently.
  await memory.answer('a', always, work)
  expect(work).toHaveBeenCalledTimes(5)
  await memory.answer('b', always, work)
  expect(work).toHaveBeenCalledTimes(6)
  const large = vi.fn<() => Promise<string>>(async () => Promise.resolve('x'.repeat(50)))
  await memory.answer('large', always, large)
  await memory.answer('large', always, large)
  expect(large).toHaveBeenCalledTimes(2)
})

test('a computation is cancelled with its last waiter, and a failure is not cached', async () => {
  const memory = new AnswerMemory<number>(1000, () => 1)
  const signals: AbortSignal[] = []
  const work = (signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<number>((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))))
  }
  const [first, second] = [new AbortController(), new AbortController()]
  const asked = [first, second].map(({ signal }) => memory.answer('a', { signal, holds: () => true }, work))
  first.abort(new Error('gone'))
  await expect(asked[0]).rejects.toThrow('gone')
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  second.abort(new Error('gone, too'))
  await expect(asked[1]).rejects.toThrow('gone, too')
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  expect((await memory.answer('a', always, async () => Promise.resolve(5))).value).toBe(5)
})
