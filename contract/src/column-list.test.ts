import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readColumnList, writeColumnList } from './column-list.ts'

test.each([
  ['Email City', ['Email', 'City']],
  ['  "First Name"  City ', ['First Name', 'City']],
  ['"say ""hi"""', ['say "hi"']],
  ['', []],
])('%j names columns', (text, names) => expect(readColumnList(text)).toEqual(names))

test.each(['"First Name', '"a"b'])('%j has an unclosed or misplaced quote', (text) => {
  expect(readColumnList(text)).toBeNull()
})

test('any names come back as they were written', () => {
  const name = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', ' ', '"', 'é', '\n', '.') })
  fc.assert(
    fc.property(fc.array(name), (names) => {
      expect(readColumnList(writeColumnList(names))).toEqual(names)
    }),
  )
})
