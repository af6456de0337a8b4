import { expect } from 'vitest'

/** Of the processor. Work that grows with the square of a hostile value takes half a minute and more. */
const mostMs = 10_000

/** The result of work that must not hold up the process. */
export function timed<T>(work: () => T): T {
  const before = process.cpuUsage()
  const result = work()
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(mostMs)
  return result
}

/** The result of requests that must not hold up the process. */
export async function timedCall<T>(work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage()
  const result = await work()
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(mostMs)
  return result
}
