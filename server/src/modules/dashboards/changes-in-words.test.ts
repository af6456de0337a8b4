import type { Definition } from '@portico/contract/dashboards/definition'
import { expect, test } from 'vitest'
import { type Content, changesInWords } from './changes-in-words.ts'

type Cell = Definition['layout'][number][number]

const cell = (id: string, changes: Partial<Cell> = {}, title = id): Cell => ({
  id,
  cols: 6,
  chart: { type: 'Text', title, options: {}, gaugeMaxValue: 100, formatNumbers: true },
  ...changes,
})
const definition = (...layout: Cell[][]): Definition => ({ layout, originalFiltersSaved: false, resetFilters: false })
const base: Content = {
  name: 'Overview',
  tags: ['event', 'goal'],
  definition: definition([cell('A'), cell('B')], [cell('C')]),
  sharedWith: { paids: 'all', aids: [1], users: ['a@example.com'] },
}
const { chart: _none, ...emptyCell } = cell('E')

test.each<[Partial<Content>, string]>([
  [{}, 'No changes.'],
  [{ tags: ['goal', 'event'] }, 'No changes.'],
  [{ name: 'Sales', tags: ['goal'] }, 'Renamed to "Sales". Changed the tags.'],
  [{ definition: definition([cell('A'), cell('B'), cell('D')], [cell('C')]) }, 'Added D.'],
  [{ definition: definition([cell('A'), cell('B')], [cell('C'), emptyCell]) }, 'Added an empty cell.'],
  [
    { definition: definition([cell('A'), cell('B')], [cell('C'), cell('D', {}, ' ')]) },
    'Added a cell without a title (Text).',
  ],
  [{ definition: definition([cell('B')]) }, 'Removed A and C.'],
  [{ definition: definition([cell('A', {}, 'New title'), cell('B')], [cell('C')]) }, 'Changed New title.'],
  [{ definition: definition([cell('A', { cols: 12 }), cell('B')], [cell('C')]) }, 'Resized A.'],
  [{ definition: definition([cell('B'), cell('C')], [cell('A')]) }, 'Moved A.'],
  [{ definition: definition([cell('C'), cell('A')], [cell('B')]) }, 'Moved C.'],
  [{ definition: definition([cell('A')], [cell('B'), cell('C')]) }, 'Changed the rows.'],
  [{ definition: definition([cell('D'), cell('A'), cell('B')]) }, 'Added D. Removed C.'],
  [{ sharedWith: { paids: 'all', aids: [1, 2], users: 'all' } }, 'Shared with everyone in 2 accounts.'],
  [{ sharedWith: { paids: 'all', aids: [1], users: ['b@example.com'] } }, 'Shared with 1 person in 1 account.'],
  [
    { sharedWith: { paids: [7], aids: 'all', users: ['a@example.com', 'b@example.com'] } },
    'Shared with 2 people in all accounts of 1 parent account.',
  ],
  [{ sharedWith: { paids: 'all', aids: 'all', users: 'all' } }, 'Shared with everyone in all accounts.'],
])('%j is described', (changes, words) => {
  expect(changesInWords(base, { ...base, ...changes })).toBe(words)
})

test('a long list is shortened', () => {
  const added = Array.from({ length: 7 }, (_, index) => cell(`N${index}`))
  const { layout } = base.definition
  expect(changesInWords(base, { ...base, definition: definition(...layout, added) })).toBe(
    'Added N0, N1, N2, N3, N4 and 2 more.',
  )
})
