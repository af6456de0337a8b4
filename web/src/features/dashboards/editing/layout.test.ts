import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newChart } from '../configuration/cell-kinds.ts'
import {
  addCell,
  canMove,
  copyCell,
  deleteCell,
  type Direction,
  type Layout,
  move,
  moveTo,
  moveToNewRow,
  setWidth,
  startRow,
} from './layout.ts'

const layout = (...rows: string[]): Layout => rows.map((row) => row.split('').map((id) => ({ id, cols: 6 })))
const shown = (of: Layout): string[] => of.map((row) => row.map(({ id }) => (id.length === 1 ? id : '+')).join(''))

test('cells move within their row and to other rows', () => {
  const start = layout('abc', 'd')
  expect(shown(move(start, 'b', 'left'))).toEqual(['bac', 'd'])
  expect(shown(move(start, 'b', 'right'))).toEqual(['acb', 'd'])
  expect(move(start, 'a', 'left')).toBe(start)
  expect(shown(move(start, 'a', 'down'))).toEqual(['bc', 'ad'])
  expect(shown(move(start, 'd', 'up'))).toEqual(['dabc'])
  expect(shown(move(start, 'c', 'up'))).toEqual(['c', 'ab', 'd'])
  expect(canMove(start, 'd', 'down')).toBe(false)
})

test('cells are dropped before an existing cell', () => {
  expect(shown(moveTo(layout('abc'), 'a', { row: 0, at: 2 }))).toEqual(['bac'])
  expect(shown(moveTo(layout('abc', 'd'), 'd', { row: 0, at: 1 }))).toEqual(['adbc'])
})

test('cells are dropped between rows', () => {
  expect(shown(moveToNewRow(layout('abc', 'd'), 'b', 1))).toEqual(['ac', 'b', 'd'])
  expect(shown(moveToNewRow(layout('abc', 'd'), 'd', 0))).toEqual(['d', 'abc'])
  const start = layout('a', 'b')
  expect(moveToNewRow(start, 'a', 0)).toBe(start)
  expect(moveToNewRow(start, 'a', 1)).toBe(start)
})

test('a row is split in two, and cells are copied, added and deleted', () => {
  expect(shown(startRow(layout('abc'), 'b'))).toEqual(['a', 'bc'])
  expect(shown(copyCell(layout('ab'), 'a'))).toEqual(['a+b'])
  const pie = { cols: 6, chart: newChart('Pie', undefined) }
  expect(shown(addCell(layout('ab'), 'b', pie))).toEqual(['ab'])
  expect(addCell(layout('ab'), 'b', { ...pie, cols: 4 })).toMatchObject([
    [{ id: 'a' }, { id: 'b', cols: 4, chart: pie.chart }],
  ])
  expect(shown(addCell([[{ id: 'a', ...pie }]], 'a', pie))).toEqual(['a+'])
  expect(shown(deleteCell(layout('a', 'b'), 'a'))).toEqual(['b'])
  expect(deleteCell(layout('a'), 'a')).toMatchObject([[{ cols: 12 }]])
  expect(setWidth(layout('a'), 'a', 2)[0]?.[0]?.cols).toBe(4)
})

test('no move loses a cell or leaves an empty row', () => {
  const directions = fc.constantFrom<Direction>('left', 'right', 'up', 'down')
  const moves = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), directions), { maxLength: 20 })
  fc.assert(
    fc.property(moves, (all) => {
      const end = all.reduce((now, [id, direction]) => move(now, id, direction), layout('abc', 'd', 'e'))
      expect(end.every((row) => row.length > 0)).toBe(true)
      expect(
        end
          .flat()
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(['a', 'b', 'c', 'd', 'e'])
    }),
  )
})
