import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const never = new AbortController().signal
const ada = { person: 'ada', account: 1 }
const ben = { person: 'ben', account: 2 }

/** Work that ends on demand, and the names of the work started so far. */
function workers() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name)
      ends.set(name, () => resolve(name))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { started, work, end }
}

test('people take turns, regardless of how much one of them has queued', async () => {
  const { started, work, end } = workers()
  const turns = new Turns({ all: 2, person: 2, account: 2, family: 2 })
  const all = [
    turns.take(ada, never, work('a1')),
    turns.take(ada, never, work('a2')),
    turns.take(ada, never, work('a3')),
    turns.take(ada, never, work('a4')),
    turns.take(ben, never, work('b1')),
  ]
  await end('')
  expect(started).toEqual(['a1', 'a2'])
  await end('a1')
  await end('a2')
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1'])
  await end('a3')
  await end('b1')
  await end('a4')
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1'])
})

test('aborted work leaves the queue, and failed work frees its place', async () => {
  const { started, work, end } = workers()
  const turns = new Turns({ all: 1, person: 1, account: 1, family: 1 })
  const gone = new AbortController()
  const failing = turns.take(ada, never, async () => Promise.reject(new Error('broken')))
  const aborted = turns.take(ada, gone.signal, work('a1'))
  const last = turns.take(ben, never, work('b1'))
  gone.abort()
  await expect(failing).rejects.toThrow('broken')
  await expect(aborted).rejects.toThrow('aborted')
  await end('')
  expect(started).toEqual(['b1'])
  await end('b1')
  expect(await last).toBe('b1')
})

test('no person or account gets all places, regardless of how much they have queued', async () => {
  const { started, work, end } = workers()
  const turns = new Turns({ all: 4, person: 2, account: 3, family: 3 })
  const [cleo, dora] = [
    { person: 'cleo', account: 1 },
    { person: 'dora', account: 3 },
  ]
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => turns.take(ada, never, work(name))),
    ...['c1', 'c2'].map((name) => turns.take(cleo, never, work(name))),
    ...['d1', 'd2'].map((name) => turns.take(dora, never, work(name))),
  ]
  await end('')
  expect(started).toEqual(['a1', 'a2', 'c1', 'd1'])
  await end('c1')
  expect(started).toEqual(['a1', 'a2', 'c1', 'd1', 'c2'])
  await end('a1')
  expect(started).toEqual(['a1', 'a2', 'c1', 'd1', 'c2', 'a3'])
  await end('c2')
  expect(started).toEqual(['a1', 'a2', 'c1', 'd1', 'c2', 'a3', 'd2'])
  for (const name of ['a2', 'd1', 'a3', 'd2']) await end(name)
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'c1', 'c2', 'd1', 'd2'])
})

test('the sub-accounts of an account do not get all places either', async () => {
  const { started, work, end } = workers()
  const turns = new Turns({ all: 4, person: 2, account: 2, family: 3 })
  const of = (account: number, parent: number | null) => ({ person: `p${account}`, account, parent })
  const all = [
    ...['a1', 'a2'].map((name) => turns.take(of(2, 1), never, work(name))),
    ...['c1', 'c2'].map((name) => turns.take(of(3, 1), never, work(name))),
    turns.take(of(1, null), never, work('p1')),
    turns.take(of(4, null), never, work('d1')),
  ]
  await end('')
  expect(started).toEqual(['a1', 'a2', 'c1', 'd1'])
  for (const name of ['d1', 'a1', 'a2', 'c1', 'c2', 'p1']) await end(name)
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'c1', 'c2', 'p1', 'd1'])
})
