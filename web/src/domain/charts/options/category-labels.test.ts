import { expect, test } from 'vitest'
import { layOutLabels } from './category-labels.ts'

const texts = (count: number, length: number): string[] => Array.from({ length: count }, () => 'x'.repeat(length))

test.each([
  ['short ones side by side', texts(12, 3), 900, { interval: 0 }],
  ['long ones shortened where each has room', texts(12, 60), 900, { interval: 0, width: 69 }],
  ['fifteen companies turned, none left out', texts(15, 30), 600, { interval: 0, width: 110, rotate: 45 }],
  ['one long label among short ones turned too', [...texts(20, 4), 'x'.repeat(80)], 900, { interval: 0, rotate: 45 }],
  ['sixty upright, every second one', texts(60, 30), 560, { interval: 1, rotate: 90 }],
  ['five hundred left out evenly', texts(500, 10), 800, { interval: 8, rotate: 90 }],
  ['twenty upright on a phone', texts(20, 10), 280, { interval: 0, rotate: 90 }],
])('%s', (_what, labels, length, layout) => {
  expect(layOutLabels(labels, length)).toMatchObject(layout)
})
