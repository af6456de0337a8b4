import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

const never = new AbortController().signal

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

test('parties take turns, whatever one of them has waiting', async () => {
  const { started, work, end } = workers()
  const turns = new Turns(2)
  const all = [
    turns.take('ada', never, work('a1')),
    turns.take('ada', never, work('a2')),
    turns.take('ada', never, work('a3')),
    turns.take('ada', never, work('a4')),
    turns.take('ben', never, work('b1')),
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

test('what is no longer wanted leaves the line, and what fails frees its place', async () => {
  const { started, work, end } = workers()
  const turns = new Turns(1)
  const gone = new AbortController()
  const failing = turns.take('ada', never, async () => Promise.reject(new Error('broken')))
  const aborted = turns.take('ada', gone.signal, work('a1'))
  const last = turns.take('ben', never, work('b1'))
  gone.abort()
  await expect(failing).rejects.toThrow('broken')
  await expect(aborted).rejects.toThrow('aborted')
  await end('')
  expect(started).toEqual(['b1'])
  await end('b1')
  expect(await last).toBe('b1')
})
