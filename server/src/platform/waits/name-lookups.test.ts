import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLookups } from './name-lookups.ts'

// Stands in for a resolver: names that begin with `slow` are resolved when the test decides.

function resolver() {
  const held: (() => void)[] = []
  const asked: string[] = []
  const address = [{ address: '192.0.2.1', family: 4 }]
  const resolve = async (name: string) => {
    asked.push(name)
    if (name.startsWith('slow')) await new Promise<void>((done) => held.push(done))
    return address
  }
  return { held, asked, address, resolve }
}

const endless = () => new AbortController().signal
const late = expect.objectContaining({ code: 'ETIMEOUT' }) as Error

test('abandoned look-ups of one account leave places for others', async () => {
  const { held, asked, address, resolve } = resolver()
  const lookUp = createLookups({ atOnce: 4, mostMs: 1000, resolve })
  for (let number = 0; number < 100; number++) {
    const leaving = new AbortController()
    const found = Promise.allSettled([lookUp(`slow${number}.example`, 1, leaving.signal)])
    await turn()
    leaving.abort()
    expect(await found).toEqual([{ status: 'rejected', reason: late }])
  }
  // Running look-ups continue: they cannot be cancelled.
  expect(asked).toEqual(['slow0.example', 'slow1.example'])
  expect(await lookUp('other.example', 2, endless())).toEqual(address)
  const own = lookUp('own.example', 1, endless())
  await expect(own).rejects.toEqual(late)
  for (const end of held.splice(0)) end()
  // Look-ups that were abandoned while they waited never run.
  await expect.poll(() => lookUp('own.example', 1, endless())).toEqual(address)
  expect(asked.filter((name) => name.startsWith('slow'))).toHaveLength(2)
})

test('look-ups of several accounts stay within the places, and time out', async () => {
  const { held, asked, address, resolve } = resolver()
  const lookUp = createLookups({ atOnce: 4, mostMs: 200, resolve })
  const slow = [1, 1, 1, 2, 2, 2, 3].map((account, number) => lookUp(`slow${number}.example`, account, endless()))
  expect(await Promise.allSettled(slow)).toEqual(slow.map(() => ({ status: 'rejected', reason: late })))
  expect(asked).toEqual(['slow0.example', 'slow1.example', 'slow3.example', 'slow4.example'])
  await expect(lookUp('third.example', 3, endless())).rejects.toEqual(late)
  for (const end of held) end()
  expect(await lookUp('third.example', 3, endless())).toEqual(address)
})

test('an error of the look-up is passed on', async () => {
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
  const lookUp = createLookups({ resolve: () => Promise.reject(unknown) })
  await expect(lookUp('unknown.example', 1, endless())).rejects.toBe(unknown)
})
