import type { FieldType } from '@portico/contract/contacts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts, type FieldValues } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { matches, type Stored } from '#test/oracles/naive-filter.ts'

const types: Record<string, FieldType> = {
  Name: 'string',
  'Ci"ty ; --': 'string',
  Age: 'number',
  Member: 'boolean',
  Since: 'date',
}
const oddTexts = [
  'a',
  'A',
  'abc',
  'ABC',
  'a%c',
  'a_c',
  "O'Neil",
  '"',
  '\\',
  'a\\b',
  'x\ny',
  '𝄞',
  'é',
  '$1',
  "'; DROP TABLE x; --",
  ' ',
]
const days = ['2025-12-31', '2026-01-01', '2026-01-02']
const instants = [
  '2025-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00.000Z',
  '2026-01-01T12:30:00.000Z',
  '2026-01-02T00:00:00.000Z',
]
const numbers = [-1.5, 0, 1, 2, 1e15, 0.1]

let portal: TestPortal
let member: Member
let contacts: Stored[]

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  member = await portal.member(account)
  const pick = <T>(values: readonly T[], at: number): T | null => values[at % (values.length + 2)] ?? null
  const rows = Array.from({ length: 60 }, (_, at): FieldValues => ({
    Name: pick(oddTexts, at),
    'Ci"ty ; --': pick(oddTexts, at * 7 + 3),
    Age: pick(numbers, at),
    Member: pick([true, false], at),
    Since: pick(instants, at),
  }))
  const ids = await addContacts(portal.parts.database, account, types, rows)
  contacts = rows.map((row, at) => ({
    id: ids[at] ?? '',
    values: new Map(Object.entries(row).filter(([, value]) => value !== null)) as Stored['values'],
  }))
})

afterAll(() => portal.close())

const find = (stages: unknown) =>
  member.get(`/contact-service/v1/offers?limit=1000&find=${encodeURIComponent(JSON.stringify(stages))}`)
const found = async (match: unknown) => {
  const answer = await find([{ $match: match }])
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<{ _id: string }[]>().map(({ _id }) => _id)
}
const refusal = async (stages: unknown) => {
  const answer = await find(stages)
  expect(answer.status).toBe(400)
  return answer.json<{ error: { code: string; message: string } }>().error
}

// ---- filters of every shape, over fields of every type ----
const text = fc.constantFrom(...oddTexts, '', 'none')
const value: Record<string, fc.Arbitrary<unknown>> = {
  string: text,
  number: fc.constantFrom(...numbers, 7),
  boolean: fc.boolean(),
  date: fc.constantFrom(...days, ...instants, '2026-01-01T13:30:00+01:00'),
}
const escape = (literal: string) => literal.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
const pattern = fc.oneof(
  fc
    .tuple(fc.constantFrom('', '^'), text, fc.constantFrom('', '$'))
    .map(([start, literal, end]) => start + escape(literal) + end),
  fc.constantFrom('a.c', '[a-c]+$', '^(a|A)', '\\bb', '\\x61', 'a.', '^.$', '%', '_'),
)
const operators = (type: FieldType): fc.Arbitrary<unknown> => {
  const one = value[type] ?? fc.constant(null)
  const orMissing = fc.oneof({ arbitrary: one, weight: 4 }, { arbitrary: fc.constantFrom(null, ''), weight: 1 })
  const list = fc.array(orMissing, { maxLength: 4 })
  const condition: fc.Arbitrary<Record<string, unknown>>[] = [
    orMissing.map(($eq) => ({ $eq })),
    orMissing.map(($ne) => ({ $ne })),
    list.map(($in) => ({ $in })),
    list.map(($nin) => ({ $nin })),
    fc.boolean().map(($exists) => ({ $exists })),
  ]
  if (type !== 'boolean') {
    const bound = one.filter((bounded) => bounded !== '')
    condition.push(
      fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), bound).map(([operator, to]) => ({ [operator]: to })),
    )
  }
  if (type === 'string')
    condition.push(
      fc.tuple(pattern, fc.constantFrom({}, { $options: 'i' })).map(([$regex, options]) => ({ $regex, ...options })),
    )
  const some = fc.oneof(...condition)
  return fc.oneof(
    orMissing,
    some,
    fc.tuple(some, some).map(([a, b]) => ({ ...a, ...b })),
    some.map(($not) => ({ $not })),
  )
}
const { match } = fc.letrec<{ match: unknown }>((tie) => ({
  match: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .constantFrom(...Object.keys(types))
      .chain((name) => operators(types[name] ?? 'string').map((asked) => ({ [name]: asked }))),
    fc
      .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(tie('match'), { minLength: 1, maxLength: 3 }))
      .map(([operator, branches]) => ({ [operator]: branches })),
  ),
}))

describe('a filter finds', () => {
  test('the same as a naive implementation, including missing values and odd texts', async () => {
    // $gt and $lt of text follow the collation, which JavaScript implements too.
    await fc.assert(
      fc.asyncProperty(match, async (asked) => {
        const expected = contacts.filter((contact) => matches(contact, asked, types)).map(({ id }) => id)
        expect(await found(asked)).toEqual(expected)
      }),
      { numRuns: 250 },
    )
  })
})

describe('a filter refuses', () => {
  const cases: [string, unknown, string][] = [
    ['an operator that does not exist', [{ $match: { Age: { $near: 1 } } }], 'Unknown Operator: "$near"'],
    ['code to run', [{ $match: { $where: 'sleep(1000)' } }], 'Unknown Operator: "$where"'],
    ['a stage that does not exist', [{ $out: 'contacts' }], 'Unknown Operator: "$out"'],
    ['a stage that this list does not know', [{ $sort: { Age: 1 } }], 'Unknown Operator: "$sort"'],
    ['an object that is no operator', [{ $match: { Age: { gt: 1 } } }], 'Unknown Operator: "gt"'],
    ['a field that does not exist', [{ $match: { Nme: 1 } }], 'Unexpected field in standard filter: "Nme"'],
    [
      'a name that every object has',
      [{ $match: { constructor: 1 } }],
      'Unexpected field in standard filter: "constructor"',
    ],
    ['a physical column', [{ $match: { c1: 'a' } }], 'Unexpected field in standard filter: "c1"'],
    ['a text for a number', [{ $match: { Age: '7' } }], '"Age" can be compared with a number, not with "7".'],
    ['a number for a text', [{ $match: { Name: { $in: ['a', 7] } } }], '"Name" can be compared with text, not with 7.'],
    ['a list for a value', [{ $match: { Name: ['a'] } }], '"Name" can be compared with text, not with ["a"].'],
    [
      'more or less than true',
      [{ $match: { Member: { $gt: false } } }],
      '"$gt" cannot compare "Member", which is true or false.',
    ],
    [
      'a day that does not exist',
      [{ $match: { Since: '2026-02-30' } }],
      '"Since" can be compared with a date such as 2026-01-31 or 2026-01-31T09:30:00Z, not with "2026-02-30".',
    ],
    [
      'a date as Americans write it',
      [{ $match: { Since: '01/31/2026' } }],
      '"Since" can be compared with a date such as 2026-01-31 or 2026-01-31T09:30:00Z, not with "01/31/2026".',
    ],
    ['the character zero', [{ $match: { Name: 'a\0' } }], '"Name" can be compared with text, not with "a\\u0000".'],
    ['nothing to be more than', [{ $match: { Age: { $gt: null } } }], '"$gt" of "Age" needs a value.'],
    ['an empty condition', [{ $match: { Age: {} } }], 'The condition of "Age" is empty.'],
    ['an empty list of conditions', [{ $match: { $or: [] } }], '"$or" needs a list with at least one condition.'],
    ['$options alone', [{ $match: { Name: { $options: 'i' } } }], '"$options" belongs to a "$regex".'],
    [
      'other options',
      [{ $match: { Name: { $regex: 'a', $options: 'x' } } }],
      '"$options" must be "i", to ignore case.',
    ],
    ['an expression over numbers', [{ $match: { Age: { $regex: '1' } } }], '"$regex" needs text; "Age" is not.'],
    ['no stage in a stage', [{}], 'Each stage of a filter has exactly one operator.'],
    ['two stages in one', [{ $match: {}, $limit: 1 }], 'Each stage of a filter has exactly one operator.'],
    ['an id that is none', [{ $match: { _id: 'abc' } }], '"_id" can be compared with an id, not with "abc".'],
  ]
  test.each(cases)('%s', async (_what, stages, message) => {
    expect(await refusal(stages)).toMatchObject({ code: 'invalid_filter', message })
  })

  test('an invalid regular expression, detected by JavaScript or PostgreSQL', async () => {
    expect(await refusal([{ $match: { Name: { $regex: '(' } } }])).toMatchObject({
      code: 'invalid_filter',
      message: expect.stringMatching(/^The expression for "Name" is not valid: /) as string,
    })
    // JavaScript knows named groups, PostgreSQL does not.
    expect(await refusal([{ $match: { Name: { $regex: '(?<a>b)' } } }])).toMatchObject({
      code: 'invalid_filter',
      message: expect.stringMatching(/invalid regular expression/) as string,
    })
  })

  test('conditions that are nested too deeply or too long', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? { Age: 1 } : { $and: [nested(depth - 1)] })
    expect(await found(nested(20))).toHaveLength(contacts.filter(({ values }) => values.get('Age') === 1).length)
    expect(await refusal([{ $match: nested(21) }])).toMatchObject({
      message: 'The filter is nested more than 20 deep.',
    })
    const many = Array.from({ length: 1001 }, () => ({ Age: { $gt: 1 } }))
    expect(await refusal([{ $match: { $or: many } }])).toMatchObject({
      message: 'A filter takes at most 1000 conditions.',
    })
    const list = Array.from({ length: 10_001 }, () => 1)
    expect(await refusal([{ $match: { Age: { $in: list } } }])).toMatchObject({
      message: '"$in" takes at most 10000 values.',
    })
  })

  test('text that is not JSON or not a list', async () => {
    for (const text of ['{', '{"$match":{}}', '[1]', '"x"']) {
      const answer = await member.get(`/contact-service/v1/offers?find=${encodeURIComponent(text)}`)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({
        error: { code: 'invalid_input', details: [{ field: expect.stringMatching(/^find/) as string }] },
      })
    }
  })
})

describe('hostile names and values', () => {
  const hostile = [
    `'; DROP SCHEMA portico CASCADE; --`,
    `" OR 1=1 --`,
    `") UNION SELECT secret_key FROM portico.persons --`,
    '$1',
    '$$',
    '\\',
    `\\'`,
    '%s',
    '?',
    '??',
    ':account',
    '/* */',
    '*/',
    '--',
    `''`,
    '""',
    'a.b',
    'contacts.c1',
    '{{x}}',
    // In the middle, since white space around a name is ignored.
    'a\u2028b',
    'a\ufeffb',
    'ﬀ',
    '\u202e',
    'constructor',
    'hasOwnProperty',
    'id',
    'ctid',
    'xmin',
    'contacts',
    'pg_sleep(10)',
  ]

  test('are treated as plain text', async () => {
    const account = await portal.account()
    const everybody = await portal.member(account)
    const fields: Record<string, FieldType> = Object.fromEntries(hostile.map((name) => [name, 'string' as const]))
    const row = Object.fromEntries(hostile.map((name, at) => [name, hostile[(at + 1) % hostile.length] ?? '']))
    const [id] = await addContacts(portal.parts.database, account, fields, [row, {}])
    const ask = (query: string) => everybody.get(`/contact-service/v1/offers?${query}`)
    for (const [name, held] of Object.entries(row)) {
      for (const asked of [
        held,
        { $in: [held] },
        { $regex: escape(held) },
        { $regex: `^${escape(held)}$`, $options: 'i' },
        { $gte: held },
      ]) {
        const match = JSON.parse(`[{"$match":{${JSON.stringify(name)}:${JSON.stringify(asked)}}}]`) as unknown
        const answer = await ask(`find=${encodeURIComponent(JSON.stringify(match))}`)
        // The query is on both sides so that a failure shows it.
        expect({ match, body: answer.body }).toMatchObject({ match, body: [{ _id: id }] })
      }
      const sort = encodeURIComponent(`{${JSON.stringify(name)}:-1}`)
      const select = encodeURIComponent(`"${name.replaceAll('"', '""')}"`)
      const sorted = await ask(`sort=${sort}&select=${select}`)
      expect(sorted).toMatchObject({ status: 200 })
      expect(Object.keys(sorted.json<object[]>()[0] ?? {})).toEqual(['_id', name])
    }
    expect((await ask('count=')).body).toEqual({ count: 2 })
  })

  test('that are not fields are refused in every position', async () => {
    for (const name of [...hostile, '__proto__']) {
      const stages = encodeURIComponent(`[{"$match":{${JSON.stringify(name)}:1}}]`)
      const sort = encodeURIComponent(`{${JSON.stringify(name)}:1}`)
      for (const query of [
        `find=${stages}`,
        `sort=${sort}`,
        `select=${encodeURIComponent(`"${name.replaceAll('"', '""')}"`)}`,
      ]) {
        const answer = await member.get(`/contact-service/v1/offers?${query}`)
        expect([query, answer.status]).toEqual([query, 400])
      }
    }
  })
})
