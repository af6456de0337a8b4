import { expect, test } from 'vitest'
import { z } from 'zod'
import { readInput } from './input-problems.ts'

const size = z.union([z.literal(25), z.literal(50)])
const form = z.strictObject({
  name: z.string(),
  size: size.optional(),
  options: z.strictObject({ value: z.union([z.string(), z.number(), z.null()]) }).optional(),
})

test.each([
  ['each unknown field by its own name', { name: 'a', foo: 1, bar: 2 }, ['foo', 'bar'], 'This field is not known.'],
  ['within another', { name: 'a', options: { value: 1, foo: 1, bar: 2 } }, ['options.foo', 'options.bar'], undefined],
  ['what is missing', {}, ['name'], 'Value is required!'],
  ['a choice that is missing', { name: 'a', options: {} }, ['options.value'], 'Value is required!'],
  ['all values there are', { name: 'a', size: 30 }, ['size'], 'Enter 25 or 50.'],
  ['all types there are', { name: 'a', options: { value: [] } }, ['options.value'], 'Enter text, a number or null.'],
  ['the whole body', 5, ['body'], 'Enter an object.'],
])('reports %s', (_what, value, fields, message) => {
  const problems = readInput(form, value).problems ?? []
  expect(problems.map(({ field }) => field)).toEqual(fields)
  expect(problems[0]?.message).toBe(message ?? 'This field is not known.')
})

test.each([
  ['unknown fields', Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`k${at}`, 1]))],
  ['values of a list', { name: 'a', list: Array<number>(90_000).fill(1) }],
])('reports at most twenty problems: %s', (_what, value) => {
  const listing = form.extend({ list: z.array(z.string()).optional() })
  expect(readInput(listing, value).problems).toHaveLength(20)
})

test('returns a valid value', () => {
  expect(readInput(form, { name: 'a', size: 25 })).toEqual({ data: { name: 'a', size: 25 }, problems: null })
})

test.each([
  [z.file().min(6), 'Choose a file of at least 6 bytes.'],
  [z.file().max(4), 'Choose a file of at most 4 bytes.'],
  [z.file().mime('image/png'), 'Enter "image/png".'],
])('describes the problem with a file: %#', (schema, message) => {
  const file = new File(['12345'], 'five.txt', { type: 'text/plain' })
  expect(readInput(schema, file).problems).toEqual([{ field: 'body', message }])
})
