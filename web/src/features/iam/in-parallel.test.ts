import { expect, test } from 'vitest'
import { inParallel } from './in-parallel.ts'

test('at most six calls are under way at once, and what fails does not stop the others', async () => {
  const items = Array.from({ length: 20 }, (_, index) => index)
  let running = 0
  let most = 0
  const outcome = await inParallel(items, async (item) => {
    running++
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 2))
    running--
    if (item % 10 === 3) throw new Error(`No ${item}`)
  })
  expect(most).toBe(6)
  expect(outcome.done).toEqual(items.filter((item) => item % 10 !== 3))
  expect(outcome.failed).toEqual([
    { item: 3, message: 'No 3' },
    { item: 13, message: 'No 13' },
  ])
})
