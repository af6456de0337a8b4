import type { Stages } from '@portico/contract/filter'
import { expect, test } from 'vitest'
import { expandPredefined } from './predefined.ts'

/** Saved filters by id, with a count of the look-ups. */
function shelf(saved: Record<string, Stages>) {
  let lookedUp = 0
  const find = (id: string): Promise<Stages | null> => {
    lookedUp++
    return Promise.resolve(saved[id] ?? null)
  }
  return { find, lookedUp: () => lookedUp }
}

const named = (id: string) => ({ $predefined: id })

test('expands saved filters, including nested ones', async () => {
  const { find } = shelf({
    lyon: [{ $match: { City: 'Lyon' } }],
    old: [named('lyon'), { $match: { Age: { $gt: 70 } } }],
    all: [],
  })
  expect(await expandPredefined([{ $match: { a: 1 } }, named('old'), named('all'), { $limit: 1 }], find)).toEqual([
    { $match: { a: 1 } },
    { $match: { City: 'Lyon' } },
    { $match: { Age: { $gt: 70 } } },
    { $limit: 1 },
  ])
})

test('refuses a filter that contains itself', async () => {
  const { find } = shelf({ a: [named('b')], b: [named('a')] })
  await expect(expandPredefined([named('a')], find)).rejects.toThrow('A saved filter cannot be part of itself.')
})

test('refuses too many stages before looking up all saved filters', async () => {
  const ten = (id: string) => Array.from({ length: 10 }, () => named(id))
  const { find, lookedUp } = shelf({ a: ten('b'), b: ten('c'), c: ten('d'), d: [] })
  await expect(expandPredefined(ten('a'), find)).rejects.toThrow('A filter takes at most 20 stages.')
  expect(lookedUp()).toBeLessThan(30)
  const long = shelf({ a: Array.from({ length: 21 }, () => ({ $match: {} })) })
  await expect(expandPredefined([named('a')], long.find)).rejects.toThrow('A filter takes at most 20 stages.')
})
