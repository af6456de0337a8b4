import { expect, test } from 'vitest'
import { Interaction } from './interaction.ts'
import { readInteraction } from './interaction-reading.ts'

const values = [null, undefined, 5, Infinity, 'a', 'x'.repeat(51), 'x'.repeat(100_001), true, {}, [], ['a'], [null, 1]]
const clicks = [
  { cell: 'c', keys: [['a', 1]] },
  { cell: 'c', keys: [] },
  { cell: 'c', keys: [[]] },
  { cell: 'c', keys: [['a', 'b', 'c']] },
  { cell: 'c', keys: [[{}]] },
  { cell: 'c', keys: [['a']], more: 1 },
  { keys: [['a']] },
  { cell: 'c', keys: Array.from({ length: 2001 }, () => ['a']) },
  ...values.flatMap((value) => [{ cell: value, keys: [['a']] }, { cell: 'c', keys: value }, value]),
  ...values.map((value) => ({ cell: 'c', keys: [[value]] })),
]
const choices = [
  { cell: 'c' },
  { cell: 'c', include: ['a', null] },
  { cell: 'c', include: Array.from({ length: 1001 }, () => 1) },
  { cell: 'c', exclude: [{}], include: [] },
  { cell: 'c', other: [] },
  ...values.flatMap((value) => [{ cell: 'c', include: value }, { cell: 'c', exclude: [value] }, value]),
]
const ranges = [
  { cell: 'c', preset: 'TM' },
  { cell: 'c', preset: 'ALL' },
  { cell: 'c', from: '2026-01-01', to: '2026-01-31' },
  { cell: 'c', from: '2026-02-30', to: '2026-01-31' },
  { cell: 'c', from: '2026-01-01' },
  { cell: 'c', preset: '6', from: '2026-01-01', to: '2026-01-31' },
  { cell: 'c' },
  ...values.flatMap((value) => [{ cell: 'c', preset: value }, { cell: 'c', from: value, to: '2026-01-31' }, value]),
]
const samples: unknown[] = [
  ...values,
  {},
  { others: [] },
  { clicks: Array.from({ length: 61 }, () => ({ cell: 'c', keys: [['a']] })) },
  ...values.flatMap((value) => [{ clicks: value }, { choices: value }, { ranges: value }]),
  ...clicks.map((each) => ({ clicks: [each] })),
  ...choices.map((each) => ({ choices: [each], clicks: [] })),
  ...ranges.map((each) => ({ ranges: [each] })),
]

test('readInteraction agrees with the schema', () => {
  let read = 0
  for (const sample of samples) {
    const { data = null } = Interaction.safeParse(sample)
    expect({ sample, read: readInteraction(sample) }).toEqual({ sample, read: data })
    if (data) read++
  }
  expect(read).toBeGreaterThan(15)
  expect(samples.length - read).toBeGreaterThan(80)
})
