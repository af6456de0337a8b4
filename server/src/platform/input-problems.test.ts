import { expect, test } from 'vitest'
import { z } from 'zod'
import { problemsOf } from './input-problems.ts'

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
  ['all values there are', { name: 'a', size: 30 }, ['size'], 'Invalid input: expected one of 25, 50'],
  [
    'all types there are',
    { name: 'a', options: { value: [] } },
    ['options.value'],
    'Invalid input: expected one of string, number, null',
  ],
  ['the whole body', 5, ['body'], 'Invalid input: expected object, received number'],
])('names %s', (_what, value, fields, message) => {
  const problems = problemsOf(form.safeParse(value).error ?? new z.ZodError([]))
  expect(problems.map(({ field }) => field)).toEqual(fields)
  expect(problems[0]?.message).toBe(message ?? 'This field is not known.')
})
