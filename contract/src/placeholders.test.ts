import { expect, test } from 'vitest'
import { placeholderProblem, textsIn } from './placeholders.ts'

const known = ['name', 'url', 'expires']

test.each(['', 'No placeholder', '{{name}} and {{ url }}', '{ {name} } {name}', '{{name'])('%j is accepted', (text) => {
  expect(placeholderProblem(text, known)).toBeNull()
})

test.each([
  ['Dear {{nmae}}', '{{nmae}}'],
  ['{{Name}}', '{{Name}}'],
  ['{{name}} {{first name}}', '{{first name}}'],
  ['{{}}', '{{}}'],
  ['{{#if name}}', '{{#if name}}'],
])('%j is refused with the unknown name and the known ones', (text, shown) => {
  expect(placeholderProblem(text, known)).toBe(`${shown} is unknown. Use {{name}}, {{url}} or {{expires}}.`)
})

test('texts without known placeholders accept none', () => {
  expect(placeholderProblem('{{name}}', [])).toBe('{{name}} cannot be used here.')
})

test('the texts of a JSON value are found at any depth, without its keys', () => {
  expect(textsIn({ '{{a}}': [1, 'b', { c: 'd', e: null }] })).toEqual(['b', 'd'])
})
