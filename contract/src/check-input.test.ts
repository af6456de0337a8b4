import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkInput } from './check-input.ts'

/** Returns the messages of all issues of a value. */
const messagesFor = (schema: z.ZodType, value: unknown) =>
  (checkInput(schema, value).error?.issues ?? []).map(({ message }) => message)

const text = z.string()
const day = new Date('2026-01-31T00:00:00Z')

test('a valid value is parsed', () => {
  expect(checkInput(z.coerce.number(), '5').data).toBe(5)
})

test.each<[string, z.ZodType, unknown, string]>([
  ['a missing text', text, undefined, 'Value is required!'],
  ['a missing choice', z.enum(['a', 'b']), undefined, 'Value is required!'],
  ['a text', text, 5, 'Enter text.'],
  ['a number', z.number(), 'five', 'Enter a number.'],
  ['a number that is none', z.coerce.number(), 'five', 'Enter a number.'],
  ['an infinite number', z.number(), Infinity, 'Enter a number.'],
  ['a whole number', z.number().int(), 1.5, 'Enter a whole number.'],
  ['a whole number beyond what is exact', z.number().int(), 2 ** 60, 'Enter a whole number.'],
  ['true or false', z.boolean(), 'yes', 'Enter true or false.'],
  ['nothing', z.null(), 1, 'Enter null.'],
  ['a date', z.date(), 'today', 'Enter a date.'],
  ['a list', z.array(text), 'a', 'Enter a list.'],
  ['a list of so many', z.tuple([text]), 'a', 'Enter a list.'],
  ['an object', z.object({}), 'a', 'Enter an object.'],
  ['an object by name', z.record(text, text), 'a', 'Enter an object.'],
  ['a file', z.file(), 'a', 'Choose a file.'],
  ['another type', z.symbol(), 'a', 'Value is invalid!'],
])('the message names the expected type: %s', (_what, schema, value, message) => {
  expect(messagesFor(schema, value)).toEqual([message])
})

describe('bounds of numbers', () => {
  const hour = z.number().int().min(0).max(23)
  test.each<[z.ZodType, unknown, string]>([
    [hour, 24, 'Enter a number from 0 to 23.'],
    [hour, -1, 'Enter a number from 0 to 23.'],
    [z.coerce.number().int().positive().max(2_147_483_647), '0', 'Enter a number from 1 to 2,147,483,647.'],
    [z.number().min(1), 0, 'Enter a number of at least 1.'],
    [z.number().max(1000), 1001, 'Enter a number of at most 1,000.'],
    [z.number().gt(0).max(2), 0, 'Enter a number greater than 0.'],
    [z.number().lt(5), 5, 'Enter a number less than 5.'],
    [z.bigint().min(3n), 2n, 'Enter a number of at least 3.'],
    [z.number().multipleOf(15), 20, 'Enter a multiple of 15.'],
    [z.number().multipleOf(1), 1.5, 'Enter a whole number.'],
  ])('%#', (schema, value, message) => {
    expect(messagesFor(schema, value)).toEqual([message])
  })

  test.each<[string, z.ZodType, unknown]>([
    ['a field', z.object({ hour }), { hour: 24 }],
    ['a list', z.object({ hours: z.array(hour).optional() }), { hours: [1, 24] }],
    ['a default', z.object({ hour: hour.default(5).nullable() }), { hour: 24 }],
    ['an object by name', z.record(text, hour), { a: 24 }],
    ['a place in a list', z.tuple([text, hour]), ['a', 24]],
    ['one of several forms', z.discriminatedUnion('is', [z.object({ is: z.literal(1), hour })]), { is: 1, hour: 24 }],
    ['what is worked out first', text.transform(Number).pipe(hour), '24'],
    ['what is told of itself later', z.lazy(() => hour), 24],
  ])('names both bounds in %s', (_what, schema, value) => {
    expect(messagesFor(schema, value)).toEqual(['Enter a number from 0 to 23.'])
  })
})

test.each<[z.ZodType, unknown, string]>([
  [text.min(1), '', 'Value is required!'],
  [text.min(5), 'abc', 'Use at least 5 characters.'],
  [text.max(1), 'abc', 'Use at most 1 character.'],
  [text.max(2000), 'a'.repeat(2001), 'Use at most 2,000 characters.'],
  [text.length(3), 'ab', 'Use exactly 3 characters.'],
  [text.length(3), 'abcd', 'Use exactly 3 characters.'],
  [z.array(text).min(1), [], 'Value is required!'],
  [z.array(text).min(2), ['a'], 'Enter at least 2 values.'],
  [z.array(text).max(1), ['a', 'b'], 'Enter at most 1 value.'],
  [z.array(text).length(2), ['a'], 'Enter exactly 2 values.'],
  [z.set(text).max(2), new Set(['a', 'b', 'c']), 'Enter at most 2 values.'],
  [z.tuple([text, text]), ['a', 'b', 'c'], 'Enter at most 2 values.'],
  [z.date().min(day), new Date('2026-01-30T00:00:00Z'), 'Enter a date from 2026-01-31 on.'],
  [z.date().max(day), new Date('2026-02-01T00:00:00Z'), 'Enter a date up to 2026-01-31.'],
])('the message names the allowed length or size: %#', (schema, value, message) => {
  expect(messagesFor(schema, value)).toEqual([message])
})

test.each<[z.ZodType, string]>([
  [z.email(), 'Enter an email address, such as ada@example.com.'],
  [z.url(), 'Enter a URL, such as https://example.com.'],
  [z.uuid(), 'Enter a UUID.'],
  [z.guid(), 'Enter a UUID.'],
  [z.ipv4(), 'Enter an IPv4 address, such as 192.0.2.10.'],
  [z.ipv6(), 'Enter an IPv6 address, such as 2001:db8::10.'],
  [z.cidrv4(), 'Enter a range of IPv4 addresses, such as 192.0.2.0/24.'],
  [z.cidrv6(), 'Enter a range of IPv6 addresses, such as 2001:db8::/32.'],
  [z.iso.datetime(), 'Enter a date and time, such as 2026-01-31T09:30:00Z.'],
  [z.iso.date(), 'Enter a date, such as 2026-01-31.'],
  [z.iso.time(), 'Enter a time, such as 09:30:00.'],
  [text.startsWith('a'), 'Start with "a".'],
  [text.endsWith('a'), 'End with "a".'],
  [text.includes('a'), 'Include "a".'],
  [text.regex(/^a$/), 'Value is invalid!'],
  [z.base64(), 'Value is invalid!'],
])('the message names the expected format: %#', (schema, message) => {
  expect(messagesFor(schema, '-')).toEqual([message])
})

test.each<[string, z.ZodType, unknown, string]>([
  ['a field', z.strictObject({}), { foo: 1 }, 'This field is not known.'],
  ['a key', z.map(text.min(2), text), new Map([['a', 'b']]), 'Use at least 2 characters.'],
  ['one value', z.literal(true), false, 'Enter true.'],
  ['values', z.enum(['csv', 'tab', 'pipe']), 'foo', 'Enter "csv", "tab" or "pipe".'],
  ['values and types', z.union([z.literal('*'), z.number(), z.null()]), [], 'Enter "*", a number or null.'],
  ['a choice that is missing', z.object({ a: z.union([text, z.number()]) }), {}, 'Value is required!'],
  ['a kind', z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]), { kind: 'b' }, 'Enter "a".'],
  ['a missing kind', z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]), {}, 'Value is required!'],
  ['forms', z.union([z.object({ a: text }), z.object({ b: text })]), {}, 'Value is invalid!'],
  ['a rule', text.refine(() => false), 'a', 'Value is invalid!'],
  ['a rule with words of its own', text.refine(() => false, 'Own words.'), 'a', 'Own words.'],
  ['a bound with words of its own', text.min(5, 'Min 5 characters!'), 'a', 'Min 5 characters!'],
])('the message names the choices or the rule: %s', (_what, schema, value, message) => {
  expect(messagesFor(schema, value)).toEqual([message])
})
