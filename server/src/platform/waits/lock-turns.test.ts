import { expect, test } from 'vitest'
import { beginReading } from './reading-limits.ts'
import { type Beneficiary, markFor } from './shares.ts'
import { createTurns } from './turns.ts'

const key = 7n
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Runs work as a call of this person does. */
function callOf<T>(of: Beneficiary, work: () => Promise<T>): Promise<T> {
  const { signal } = new AbortController()
  markFor(signal, of)
  return beginReading(signal).run(work)
}

/** A line that is taken by work of the portal, until `endAll` lets one after the other proceed. */
async function takenLine() {
  const turns = createTurns()
  const served: string[] = []
  const first = await turns.take(key, 10_000)
  const ends = [first]
  const wait = async (of: Beneficiary, { isPortalWide = true } = {}) => {
    const end = await callOf(of, () => turns.take(key, 10_000, { isPortalWide }))
    served.push(of.person)
    ends.push(end)
  }
  const endAll = async () => {
    for (let at = 0; at < ends.length; at++) {
      ends[at]?.()
      await settled()
    }
  }
  return { wait, endAll, served }
}

test('families of accounts take turns, and the people of a family', async () => {
  const { wait, endAll, served } = await takenLine()
  const all = [
    ...['ann', 'ann', 'ann', 'bob'].map((person) => wait({ person, account: 1 })),
    ...['cleo', 'cleo'].map((person, at) => wait({ person, account: 2 + at, parent: at === 0 ? null : 2 })),
    wait({ person: 'dan', account: null }),
  ]
  await endAll()
  await Promise.all(all)
  expect(served).toEqual(['ann', 'cleo', 'dan', 'bob', 'cleo', 'ann', 'ann'])
})

test('a person and a family have a few requests waiting where all accounts wait, and more are refused at once', async () => {
  const { wait, endAll, served } = await takenLine()
  const outcomes: Promise<PromiseSettledResult<void>[]>[] = []
  const waitMany = (count: number, of: (at: number) => Beneficiary) => {
    const many = Array.from({ length: count }, (_, at) => wait(of(at)))
    outcomes.push(Promise.allSettled(many))
  }
  // In different accounts, and different people of an account and its sub-accounts.
  waitMany(30, (at) => ({ person: 'ann', account: at }))
  waitMany(30, (at) => ({ person: `p${at}`, account: 100 + (at % 3), parent: at % 3 === 0 ? null : 100 }))
  waitMany(1, () => ({ person: 'bob', account: 200 }))
  await endAll()
  const refused = (await Promise.all(outcomes)).map((each) =>
    each.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
  )
  const texts = ['You are making too many changes', 'People of this account, or of one related to it, are making']
  expect(refused).toEqual([
    ...[20, 10].map((count, at) =>
      Array.from({ length: count }, () =>
        expect.objectContaining({ code: 'too_many_requests', message: expect.stringContaining(texts[at] ?? '') }),
      ),
    ),
    [],
  ])
  expect(served.slice(0, 12)).toContain('bob')
  expect(served).toHaveLength(31)
})

test('the line of one account refuses no one', async () => {
  const { wait, endAll, served } = await takenLine()
  const all = Array.from({ length: 40 }, () => wait({ person: 'ann', account: 1 }, { isPortalWide: false }))
  await endAll()
  await Promise.all(all)
  expect(served).toHaveLength(40)
})

test('one whose wait has ended leaves the line to others', async () => {
  const turns = createTurns()
  const end = await turns.take(key, 10_000)
  const late = await callOf({ person: 'ann', account: 1 }, () => turns.take(key, 1))
  const next = callOf({ person: 'bob', account: 1 }, () => turns.take(key, 10_000))
  end?.()
  expect(late).toBeNull()
  expect(await next).toBeTypeOf('function')
})
