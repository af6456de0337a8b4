import { expect, test } from 'vitest'
import { type Claim, createHoldings } from './holdings.ts'

const claim = (party: string, most: number): Claim => ({ party, most, refusal: () => new Error(`${party} is full`) })

test('parties share a limit, and returned amounts are free again', () => {
  const { take } = createHoldings()
  const giveBack = take([claim('ada', 10), claim('all', 15)], 8)
  expect(() => take([claim('ada', 10), claim('all', 15)], 3)).toThrow('ada is full')
  expect(() => take([claim('bob', 10), claim('all', 15)], 8)).toThrow('all is full')
  take([claim('bob', 10), claim('all', 15)], 7)
  giveBack()
  giveBack()
  take([claim('ada', 10), claim('all', 15)], 8)
  expect(() => take([claim('bob', 10), claim('all', 15)], 1)).toThrow('all is full')
})

test('a party that holds nothing may take any amount once', () => {
  const { take, requireRoom } = createHoldings()
  requireRoom([claim('ada', 10)])
  const giveBack = take([claim('ada', 10)], 50)
  expect(() => take([claim('ada', 10)])).toThrow('ada is full')
  expect(() => requireRoom([claim('ada', 10)])).toThrow('ada is full')
  requireRoom([claim('bob', 10)])
  giveBack()
  requireRoom([claim('ada', 10)])
})

test('an amount refused for one party does not count for the others', () => {
  const { take } = createHoldings()
  take([claim('all', 10)], 10)
  expect(() => take([claim('ada', 5), claim('all', 10)], 5)).toThrow('all is full')
  take([claim('ada', 5)], 5)
})
