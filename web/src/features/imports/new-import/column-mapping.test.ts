import type { PreviewColumn } from '@portico/contract/import-preview'
import { expect, test } from 'vitest'
import {
  choicesOf,
  isSuggested,
  mappingOf,
  mappingProblems,
  outcomeOf,
  targetOf,
  withSuggestions,
  withTarget,
} from './column-mapping.ts'

const fit = { cells: 0, examples: [] }
const noMisfits = { number: fit, boolean: fit, date: fit, day: fit }
const column = (name: string, more: Partial<PreviewColumn> = {}): PreviewColumn => ({
  name,
  type: 'string',
  isEmpty: false,
  field: null,
  suggestion: null,
  misfits: noMisfits,
  readings: [],
  suggestedReading: null,
  isAmbiguous: false,
  effect: 'added',
  loadedType: 'string',
  isReport: false,
  ...more,
})
const mail = column('mail', { suggestion: { name: 'E-Mail', type: 'string' } })
const line = column('Set-Aside Line', { isReport: true })

test('a column feeds the field of its name, unless it is mapped or reserved', () => {
  expect([targetOf(mail, {}), targetOf(mail, { mail: 'E' }), targetOf(mail, { mail: null })]).toEqual([
    'mail',
    'E',
    null,
  ])
  expect([targetOf(line, {}), targetOf(line, { 'Set-Aside Line': 'Line' })]).toEqual([null, 'Line'])
})

test('choosing the original name removes the mapping', () => {
  const renamed = withTarget({ b: null }, mail, 'E')
  expect(renamed).toEqual({ b: null, mail: 'E' })
  expect(withTarget(renamed, mail, 'mail')).toEqual({ b: null })
  expect(withTarget({ [line.name]: 'Line' }, line, null)).toEqual({})
})

test('an internal column from an export is skipped unless it is renamed', () => {
  const purl = column('PURL')
  expect(targetOf(purl, {})).toBeNull()
  expect(mappingOf({}, [purl, column('a')])).toEqual({ PURL: null })
  expect(mappingProblems([purl, column('a')], {})).toEqual({})
  expect(withTarget({}, purl, 'Old PURL')).toEqual({ PURL: 'Old PURL' })
  expect(mappingOf({ PURL: 'Old PURL' }, [purl])).toEqual({ PURL: 'Old PURL' })
  expect(mappingProblems([purl, column('a')], withTarget({}, purl, 'PURL'))).toEqual({ PURL: 'Value is not allowed!' })
  expect(withTarget({ PURL: 'Old PURL' }, purl, null)).toEqual({})
})

test('suggestions apply only to columns without a choice', () => {
  expect(withSuggestions({}, [mail, column('b')])).toEqual({ mail: 'E-Mail' })
  expect(withSuggestions({ mail: null }, [mail])).toEqual({ mail: null })
  expect([isSuggested(mail, {}), isSuggested(mail, { mail: 'E-Mail' })]).toEqual([true, false])
})

test('reports per target field what is added, kept and widened', () => {
  const choices = { age: 'text' as const }
  const options = { fields: [{ name: 'Age', type: 'number' as const }], typeCasting: true, choices, types: {} }
  const number = column('n', { type: 'number' })
  expect(outcomeOf(number, 'n', options)).toMatchObject({ effect: 'added', type: 'number', before: null })
  expect(outcomeOf(number, 'n', { ...options, typeCasting: false })).toMatchObject({ type: 'string' })
  expect(outcomeOf(number, ' AGE ', options)).toMatchObject({ effect: 'kept', type: 'number', before: 'number' })
  expect(outcomeOf(column('t'), 'Age', options)).toMatchObject({ effect: 'widened', type: 'string', before: 'number' })
  expect(outcomeOf(column('t', { isEmpty: true }), 'Age', options)).toMatchObject({ effect: 'kept', type: 'number' })
  expect(outcomeOf(number, null, options)).toBeNull()
})

test('moments widen a field of days to moments, and days fit into a field of moments', () => {
  const types = ['day', 'date'] as const
  const fields = types.map((type) => ({ name: type, type }))
  const options = { fields, typeCasting: true, choices: { day: 'text' as const }, types: {} }
  const [days, moments] = [column('d', { type: 'day' }), column('m', { type: 'date' })]
  expect(outcomeOf(moments, 'day', options)).toMatchObject({ effect: 'widened', type: 'date', before: 'day' })
  expect(outcomeOf(days, 'date', options)).toMatchObject({ effect: 'kept', type: 'date', before: 'date' })
  expect(outcomeOf(column('t'), 'day', options)).toMatchObject({ effect: 'widened', type: 'string', before: 'day' })
})

test('misfits leave the field unchanged unless chosen otherwise; the request contains only such choices', () => {
  const odd = { cells: 2, examples: ['n/a', '-'] }
  const score = column('Points', { misfits: { ...noMisfits, number: odd } })
  const fields = [
    { name: 'Score', type: 'number' as const },
    { name: 'Note', type: 'string' as const },
  ]
  const options = { fields, typeCasting: true, choices: {}, types: {} }
  const outcome = { effect: 'kept', type: 'number', before: 'number', misfits: odd, choice: 'cell' }
  const kept = { ...outcome, reading: null, isUnsure: false }
  expect(outcomeOf(score, 'Score', options)).toEqual(kept)
  expect(outcomeOf(score, 'Note', options)).toMatchObject({ misfits: fit })
  expect(outcomeOf(score, 'Score', { ...options, choices: { SCORE: 'row' } })).toEqual({ ...kept, choice: 'row' })
  const mapping = { Points: ' Score ' }
  expect(choicesOf([score], mapping, options)).toEqual({})
  expect(choicesOf([score], mapping, { ...options, choices: { score: 'cell', Note: 'row' } })).toEqual({})
  expect(choicesOf([score], mapping, { ...options, choices: { score: 'text', Note: 'row' } })).toEqual({
    Score: 'text',
  })
  expect(choicesOf([score], { Points: null }, { ...options, choices: { score: 'text' } })).toEqual({})
})

test.each([
  [{ a: ' ' }, { a: 'Value is required!' }],
  [{ a: 'B' }, { a: 'Value is duplicate!', b: 'Value is duplicate!' }],
  [{ a: 'PURL' }, { a: 'Value is not allowed!' }],
  [{ a: 'x'.repeat(201) }, { a: 'Value is not allowed!' }],
  [{ a: null, b: null }, { a: 'Keep at least one column.' }],
  [{ a: 'Name' }, {}],
])('%j is validated', (mapping, problems) => {
  expect(mappingProblems([column('a'), column('b')], mapping)).toEqual(problems)
})

test('a column that a setting needs cannot be skipped, unless another one feeds that field', () => {
  const columns = [column('a'), column('b')]
  expect(mappingProblems(columns, { a: null }, ['A'])).toEqual({ a: 'A setting of this import needs this column.' })
  expect(mappingProblems(columns, { a: null, b: 'a' }, ['A'])).toEqual({})
})

test('the request contains only columns of the file', () => {
  expect(mappingOf({ a: ' Name ', gone: 'x' }, [column('a')])).toEqual({ a: 'Name' })
  expect(mappingOf({ gone: null }, [column('a')])).toBeNull()
})
