import { foldName, foldText } from '@portico/domain/names'
import { expect, test } from 'vitest'
import { partOfName } from './field-uses.ts'

test.each([
  ['Home Zone', 'home'],
  ['Sales', 'ale'],
  ['Éclair', 'cla'],
  ['Kiss', ''],
  ['価格', ''],
  ['a"b\\cde', 'cde'],
  ['Rue\u0301e', 'ru'],
])('the letters of %s shared by every spelling are %s', (name, part) => expect(partOfName(name)).toBe(part))

test('no letter outside ASCII counts as shared', () => {
  const others: string[] = []
  for (let code = 0x80; code < 0x11_0000; code++) {
    const letter = String.fromCodePoint(code)
    if (partOfName(foldText(letter)) !== '') others.push(letter)
  }
  expect(others).toEqual([])
  expect(foldName('\u212Aiss')).toBe('kiss')
})
