import { expect } from 'vitest'

/** Processor time. Work that grows with the square of a hostile value takes half a minute and more. */
const mostMs = 10_000

/** Returns the result of work that must not block the process. */
export function timed<T>(work: () => T): T {
  const before = process.cpuUsage()
  const result = work()
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(mostMs)
  return result
}

/** Returns the result of requests that must not block the process. */
export async function timedCall<T>(work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage()
  const result = await work()
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(mostMs)
  return result
}
