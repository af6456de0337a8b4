import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { valueProblem } from './filter-values.ts'
import { stagesOf } from './stages-of.ts'
import { emptyFilter } from './filter.ts'
import { itemsOf, listOf, pastedList } from './value-list.ts'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'

const three = ['ada@example.com', 'bob@example.com', 'cai@example.com']

describe('a pasted list', () => {
  test.each([
    ['lines', three.join('\n')],
    ['lines with an end', `${three.join('\n')}\n`],
    ['Windows lines', `${three.join('\r\n')}\r\n`],
    ['blank lines', `\n${three.join('\n\n')}\n\n`],
    ['tabs', three.join('\t')],
    ['semicolons', three.join('; ')],
    ['a semicolon at the end', `${three.join(';')};`],
    ['a comma at the end', `${three.join(', ')},`],
    ['a comma at the end of each line', three.map((one) => `${one},\n`).join('')],
    ['lines of several', `${three[0]}, ${three[1]}\n${three[2]}`],
    ['quotes', three.map((one) => `"${one}"`).join('\n')],
  ])('splits into its values: %s', (_case, text) => {
    expect(itemsOf(pastedList(text, 'string') ?? text)).toEqual(three)
  })

  test.each([
    ['Smith, John\nDoe, Jane\n', ['Smith, John', 'Doe, Jane']],
    ['Smith, John\r\n', ['Smith, John']],
    ['Paris\tRome, Italy', ['Paris', 'Rome, Italy']],
    ['5" pipe\n"quoted", twice', ['5" pipe', '"quoted", twice']],
  ])('keeps the commas inside the values of %j', (text, values) => {
    const list = pastedList(text, 'string') ?? ''
    expect(itemsOf(list)).toEqual(values)
  })

  test.each([
    ['1,250\n1,250.75\n-3\n', ['1250', '1250.75', '-3']],
    ['1,250\r\n', ['1250']],
    ['1,250; 2', ['1250', '2']],
    ['1, 2\n3, 4', ['1', '2', '3', '4']],
  ])('reads the numbers of %j', (text, values) => {
    expect(itemsOf(pastedList(text, 'number') ?? text)).toEqual(values)
  })

  test('keeps a number with a decimal comma as an invalid value', () => {
    const value = pastedList('1,25\n2,5', 'number') ?? ''
    expect(itemsOf(value)).toEqual(['1,25', '2,5'])
    expect(valueProblem({ field: 'Score', type: 'number', operator: 'in', value })).toBe('Value is invalid!')
  })

  test('stays as it is if nothing needs converting', () => {
    expect(pastedList('ada@example.com, bob@example.com', 'string')).toBeNull()
    expect(pastedList('100,200,300', 'number')).toBeNull()
  })
})

test('values with separators, quotes and spaces are written so that they parse back', () => {
  const piece = fc.constantFrom('"', ',', ';', ' ', '\t', '\r\n', 'a', 'é')
  const value = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (values) => {
      expect(itemsOf(listOf(values))).toEqual(values)
    }),
  )
  expect(itemsOf('"half, a')).toEqual(['"half', 'a'])
  expect(itemsOf('"a"b, c')).toEqual(['"a"b', 'c'])
})

describe('a number condition', () => {
  const sentFor = (value: string): unknown =>
    writePipeline(stagesOf({ ...emptyFilter, standard: [{ field: 'Score', type: 'number', operator: '>', value }] }))
  test.each([
    ['1,250', 1250],
    ['1,250.75', 1250.75],
    [' -1,234,567 ', -1_234_567],
    ['1250.75', 1250.75],
    ['1e3', 1000],
  ])('reads %j as %d', (value, number) => {
    expect(valueProblem({ field: 'Score', type: 'number', operator: '>', value })).toBeNull()
    expect(sentFor(value)).toEqual([{ $match: { $and: [{ Score: { $gt: number } }] } }])
  })

  test.each(['1,25', '1.250,75', '1,2500', ',250', '12,34,567', '1,250,', 'abc', '0x1F', '1 250'])(
    'rejects %j as invalid',
    (value) => {
      expect(valueProblem({ field: 'Score', type: 'number', operator: '=', value })).toBe('Value is invalid!')
    },
  )
})
