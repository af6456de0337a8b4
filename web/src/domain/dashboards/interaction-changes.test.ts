import { Interaction } from '@portico/contract/dashboards/interaction'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { expect, test } from 'vitest'
import { readInteraction, writeInteraction } from './interaction-address.ts'
import { withChoice, withClick, withoutCell, withRange } from './interaction-changes.ts'

test('another value replaces the first, the same again resets, and adding keeps both', () => {
  const one = withClick(noInteraction, 'c', [['Oslo']])
  expect(one.clicks).toEqual([{ cell: 'c', keys: [['Oslo']] }])
  expect(withClick(one, 'c', [['Rome']]).clicks).toEqual([{ cell: 'c', keys: [['Rome']] }])
  expect(withClick(one, 'c', [['Oslo']]).clicks).toEqual([])
  const both = withClick(one, 'c', [['Rome']], { isAdding: true })
  expect(both.clicks).toEqual([{ cell: 'c', keys: [['Oslo'], ['Rome']] }])
  expect(withClick(both, 'c', [['Oslo']], { isAdding: true }).clicks).toEqual([{ cell: 'c', keys: [['Rome']] }])
  expect(withClick(both, 'c', [['Oslo']]).clicks).toEqual([{ cell: 'c', keys: [['Oslo']] }])
})

test('the picker changed last comes last, and a single cell can be cleared', () => {
  const range = (cell: string) => ({ cell, preset: 'TM' as const })
  const two = withRange(withRange(noInteraction, 'a', range('a')), 'b', range('b'))
  const again = withRange(two, 'a', { cell: 'a', from: '2026-01-01', to: '2026-01-02' })
  expect(again.ranges.map(({ cell }) => cell)).toEqual(['b', 'a'])
  const chosen = withChoice(again, 'd', { include: ['x'], exclude: [] })
  expect(withoutCell(chosen, 'd')).toEqual(again)
  expect(withChoice(chosen, 'd', { include: [], exclude: [] })).toEqual(again)
})

test('the selection is stored in the address, or in the tab if it is too long', () => {
  const small = withClick(noInteraction, 'c', [['Zürich', 5]])
  const address = writeInteraction(new URLSearchParams('dashboard=1'), small)
  expect(address.get('dashboard')).toBe('1')
  expect(readInteraction(address)).toEqual(small)
  expect([...writeInteraction(address, noInteraction).keys()]).toEqual(['dashboard'])
  const large = withClick(
    noInteraction,
    'c',
    Array.from({ length: 1000 }, (_, at) => [`City ${at}`]),
  )
  const kept = writeInteraction(new URLSearchParams(), large)
  expect(kept.toString().length).toBeLessThan(100)
  expect(readInteraction(kept)).toEqual(Interaction.parse(large))
  expect(readInteraction(new URLSearchParams('chosen={'))).toEqual(noInteraction)
})
