import { expect, test, vi } from 'vitest'
import { inParallel } from './in-parallel.ts'

test('at most six calls run at once, and a failure does not stop the others', async () => {
  const items = Array.from({ length: 20 }, (_, index) => index)
  const answers = items.map(() => Promise.withResolvers<void>())
  let running = 0
  const outcome = inParallel(items, async (item) => {
    running++
    await answers[item]?.promise
    running--
    if (item % 10 === 3) throw new Error(`No ${item}`)
  })
  for (const [item, answer] of answers.entries()) {
    await vi.waitFor(() => expect(running).toBe(Math.min(6, items.length - item)))
    answer.resolve()
  }
  expect(await outcome).toEqual({
    done: items.filter((item) => item % 10 !== 3),
    failed: [
      { item: 3, message: 'No 3' },
      { item: 13, message: 'No 13' },
    ],
  })
})
