import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from './api.ts'
import { hasForm, innerOf, judgedValue, ReadText } from './read-text.ts'
import type { Route } from './route.ts'

// Conditions of policies check the value that a schema lets pass. The handler's interpretation must be the same.

type Leaf = { call: string; path: string; schema: z.ZodType }
const routes = (Object.entries(api) as [string, Route][]).filter(([, { access }]) => access.includes('::'))
const leaves = routes.flatMap(([call, { params, query, body }]) =>
  [params, query, body].flatMap((part) => (part ? leavesOf(call, '', part) : [])),
)
const texts = leaves.filter(({ schema }) => takesText(schema))
const named = (...names: string[]): Leaf[] => leaves.filter(({ path }) => names.includes(path.split('.').at(-1) ?? ''))

/** Returns all fields of a request, down to those that have a form of their own. */
function leavesOf(call: string, path: string, schema: z.ZodType): Leaf[] {
  const inner = innerOf(schema)
  if (inner && !hasForm(schema) && path.split('.').length < 8) return leavesOf(call, path, inner)
  if (hasForm(schema)) return [{ call, path, schema }]
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, field]) =>
      leavesOf(call, path === '' ? name : `${path}.${name}`, field as z.ZodType),
    )
  }
  if (schema instanceof z.ZodArray) return leavesOf(call, path, schema.element as z.ZodType)
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap((one) => leavesOf(call, path, one))
  if (schema instanceof z.ZodPipe && hasForm(schema.out as z.ZodType)) return [{ call, path, schema }]
  if (schema instanceof z.ZodPipe && !takesText(schema)) {
    // A transformation accepts the output of the schema before it.
    const part = schema.out instanceof z.ZodTransform ? schema.in : schema.out
    return leavesOf(call, path, part as z.ZodType)
  }
  return [{ call, path, schema }]
}

function takesText(schema: z.ZodType): boolean {
  return ['sample', 'sample@example.com', '[]', '{}', '2026-01-31', '2026-01-31T09:30:00Z', '1'].some(
    (text) => schema.safeParse(text).success,
  )
}

const words = ['City', 'Salary', 'First Name', 'a@corp.example', 'evil@x.example', 'Café', 'Café', 'İ', 'ς', '1', '01']
const between = [
  ' ',
  '\t',
  '\n',
  '\u00a0',
  '"',
  '""',
  ',',
  ',,',
  ', ,',
  ';',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  "'",
  '.',
  '/',
]
const oddText = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.constantFrom(...between)), { maxLength: 9 })
  .map((parts) => parts.join(''))
const stages = fc.constantFrom(
  '[{"$match":{"City":"Paris"}}]',
  ' [ {"$m\\u0061tch" : {"City":1, "City":2} } ]\n',
  '{"Email":"{{Email}}"}',
  '{ "Em\\u0061il" : "{{Email}}" }',
)
const sent = fc.oneof({ weight: 5, arbitrary: oddText }, { weight: 1, arbitrary: stages })

test('many fields accept text', () => {
  expect(routes.length).toBeGreaterThan(50)
  expect(texts.length).toBeGreaterThan(100)
})

describe.each(texts)('$call: $path', ({ schema }) => {
  test('reads its own output as the same value', () => {
    fc.assert(
      fc.property(sent, (text) => {
        const first = schema.safeParse(text)
        if (!first.success || typeof first.data !== 'string') return
        expect(schema.parse(first.data)).toBe(first.data)
        expect(judgedValue(schema, schema.parse(first.data))).toEqual(judgedValue(schema, first.data))
      }),
      { numRuns: 150 },
    )
  })
})

describe('lists and JSON in texts are parsed for conditions', () => {
  const lists = ['select', 'publicColumns', 'notificationEmails', 'to']
  const json = ['find', 'aggregate', 'aggregateQuery', 'instruction', 'definition']

  test.each(lists)('%s', (name) => {
    const found = named(name).filter(({ call, schema }) => takesText(schema) && !/import/i.test(call))
    expect(found.length).toBeGreaterThan(0)
    for (const { schema, path, call } of found) {
      // The start and the end of lists of runs are moments.
      if (name === 'to' && !path.includes('notification')) continue
      const text = name === 'to' || name === 'notificationEmails' ? ',a@b.example,c@d.example' : ' City\t"First Name" '
      const judged = judgedValue(schema, schema.parse(name === 'to' ? text.slice(1) : text))
      expect(judged, `${call} ${path}`).toBeInstanceOf(ReadText)
      expect((judged as ReadText).value).toHaveLength(2)
    }
  })

  test.each(json)('%s', (name) => {
    // `find` of dashboards is a part of a name; `instruction` in the crons' query says whether they have one.
    const found = named(name).filter(({ call }) => !['listDashboards', 'listCrons', 'listRows'].includes(call))
    expect(found.length).toBeGreaterThan(0)
    const samples = ['[{"$match":{"City":"Paris"}}]', '{"layout":[[{"cols":12}]]}', '{"Email":"{{Email}}"}']
    for (const { schema, call, path } of found) {
      const judged = samples.flatMap((sample) => {
        const { data, success } = schema.safeParse(sample)
        return success ? [judgedValue(schema, data)] : []
      })
      expect(
        judged.map((value) => typeof value),
        `${call} ${path}`,
      ).toContain('object')
    }
  })
})
