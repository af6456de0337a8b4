import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { columnListText, readColumnList, writeColumnList } from './column-list.ts'

test.each([
  ['Email City', ['Email', 'City']],
  ['  "First Name"  City ', ['First Name', 'City']],
  ['"say ""hi"""', ['say "hi"']],
  ['', []],
])('%j is read as column names', (text, names) => expect(readColumnList(text)).toEqual(names))

test.each(['"First Name', '"a"b'])('%j has an unclosed or misplaced quote', (text) => {
  expect(readColumnList(text)).toBeNull()
})

test('any names survive writing and reading', () => {
  const name = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', ' ', '"', 'é', '\n', '.') })
  fc.assert(
    fc.property(fc.array(name), (names) => {
      expect(readColumnList(writeColumnList(names))).toEqual(names)
    }),
  )
})

test('a list of more than 2,000 columns is refused without reading the rest', () => {
  const list = columnListText(z.string(), 'Close the quote.')
  const problem = (text: string) => list.safeParse(text).error?.issues.map(({ message }) => message)
  expect(problem('b '.repeat(2000))).toBeUndefined()
  expect(problem('b '.repeat(2001))).toEqual(['Name at most 2,000 fields.'])
  expect(problem('"b" '.repeat(200_000))).toEqual(['Name at most 2,000 fields.'])
  expect(problem(`"b" ${'"'.repeat(301)}`)).toEqual(['Close the quote.'])
  expect(readColumnList(`${'b '.repeat(2000)} "`, 2000)).toHaveLength(2000)
})
