import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type TestPortal, startPortal } from '#test/kit/portal.ts'
import { defineJob, type JobKind, type Jobs, startJobs } from './jobs.ts'

// Their jobs compete for the places of a kind.

let portal: TestPortal
let jobs: Jobs | undefined

beforeEach(async () => {
  portal = await startPortal()
})
afterEach(async () => {
  await jobs?.stop()
  jobs = undefined
  await portal.close()
})

const data = z.object({ account: z.number(), name: z.string() })
type Data = z.output<typeof data>

/** Runs jobs that end only when the test ends them. */
async function startHeld(kind: JobKind<typeof data>) {
  const { url, db } = portal.parts.database
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const queue = await startJobs(url, [kind as unknown as JobKind], pino({ level: 'silent' }))
  jobs = queue
  return {
    started,
    end: (name: string) => ends.get(name)?.(),
    endAll: () => ends.forEach((end) => end()),
    add: (account: number, name: string, person?: string) =>
      queue.enqueue(db, kind, { account, name }, person === undefined ? {} : { person }),
    work: () =>
      queue.work(kind, ({ name }: Data) => {
        started.push(name)
        return new Promise<void>((resolve) => void ends.set(name, resolve))
      }),
    reached: (count: number) => vi.waitUntil(() => started.length >= count, { timeout: 20_000, interval: 20 }),
  }
}

const actsWith = { noRight: 'It does nothing.' }

// Longer than an idle worker waits before it polls again.
const pollsMs = 3000
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a person with several accounts never takes all places, and starts the next job when one ends', async () => {
  const kind = defineJob({
    name: 'by-person',
    data,
    serialKey: ({ account }) => String(account),
    actsWith,
    rows: [],
    concurrency: 3,
  })
  const held = await startHeld(kind)
  for (const account of [1, 2, 3, 4]) await held.add(account, `ada ${account}`, account % 2 ? 'ada@x.com' : 'Ada@X.com')
  await held.work()
  await held.reached(2)
  await pass(pollsMs)
  // Which two begin is random: idle workers poll at the same moment, and the refused one may hold the oldest job.
  expect(held.started).toHaveLength(2)
  await held.add(5, 'bob', 'bob@x.com')
  await held.reached(3)
  expect(held.started).toContain('bob')
  // One of her places is free again.
  held.end(held.started[0]!)
  await held.reached(4)
  expect(new Set(held.started).size).toBe(4)
  expect(held.started.filter((name) => name.startsWith('ada'))).toHaveLength(3)
  held.endAll()
})

test('an account takes only some of the places, and its waiting jobs do not hold up those of others', async () => {
  const kind = defineJob({
    name: 'by-account',
    data,
    serialKey: ({ name }) => name,
    holder: ({ account }) => `account ${account}`,
    actsWith,
    rows: [],
    concurrency: 3,
    mostOfOne: 1,
  })
  const held = await startHeld(kind)
  for (const name of ['a1', 'a2', 'a3']) await held.add(1, name)
  for (const name of ['b1', 'b2', 'b3']) await held.add(2, name)
  await held.add(3, 'c1')
  await held.work()
  await held.reached(3)
  await pass(pollsMs)
  expect(held.started.map((name) => name.charAt(0)).toSorted()).toEqual(['a', 'b', 'c'])
  held.endAll()
})
