import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'
import { expect, test } from 'vitest'
import { z } from 'zod'

// A check whose time grows with the square of its input blocks all users: one request of 1 MB would take minutes. Each
// part of each call gets the largest possible input, of several kinds.

/** Characters of a body, or of a signed-in caller's query, up to their limit of 1 MB; and of a path. */
const most = 900_000
const path = 12_000

/** Generous: a check of 1 MB takes milliseconds, and one of quadratic time far over a minute. */
const mostSeconds = 3

const list = <T>(count: number, item: (at: number) => T): T[] => Array.from({ length: count }, (_value, at) => item(at))

const texts = (size: number): [kind: string, text: string][] => [
  // A sixth is enough for these: they are sorted by comparing each with each.
  ['marks', `a${'\u0301'.repeat(size / 12)}${'\u0316'.repeat(size / 12)}`],
  ['commas', ','.repeat(size / 4)],
  ['blanks', `x${' '.repeat(size / 4)}x`],
  ['addresses', list(size / 11, (at) => `${at}@b.co`).join(',')],
  ['words', list(size / 20, (at) => `w${at}`).join(' ')],
  ['brackets', '{{'.repeat(size / 8)],
  ['quotes', '"'.repeat(size / 4)],
  ['JSON', JSON.stringify(list(size / 30, (at) => `n${at}`))],
  ['stages', JSON.stringify([{ $match: { $or: list(size / 60, (at) => ({ F: at })) } }])],
]

const bodies: [kind: string, value: unknown][] = [
  ...texts(most),
  ['a list of texts', list(most / 15, (at) => `name ${at}`)],
  ['a list of objects', list(most / 60, (at) => ({ name: `n${at}`, _id: `${at}` }))],
  ['an object', Object.fromEntries(list(most / 60, (at) => [`name ${at}`, `${at}`]))],
  ['a long name with many values', { ['x'.repeat(50_000)]: list(20_000, String) }],
]

type Described = {
  $ref?: string
  $defs?: Record<string, Described>
  properties?: Record<string, Described>
  items?: Described
  const?: unknown
  enum?: unknown[]
  anyOf?: Described[]
  oneOf?: Described[]
  allOf?: Described[]
}
/** A part of an input by the names that lead to it, and an input with a value there. */
type Part = { name: string; around: (value: unknown) => unknown }

/** Returns the parts of an input, recursively. Alternatives differ in their constants. */
function partsOf(written: Described, named: Record<string, Described>, depth = 4): Part[] {
  if (depth === 0) return []
  const described = named[written.$ref?.replace('#/$defs/', '') ?? ''] ?? written
  const alternatives = [...(described.anyOf ?? []), ...(described.oneOf ?? []), ...(described.allOf ?? [])]
  const properties = Object.entries(described.properties ?? {})
  const constants = Object.fromEntries(
    properties.flatMap(([name, each]) => {
      const value = each.const ?? each.enum?.[0]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const inside = (part: Part, prefix: string, wrap: (value: unknown) => unknown): Part => ({
    name: part.name === '' ? prefix : `${prefix}.${part.name}`,
    around: (value) => wrap(part.around(value)),
  })
  const itself: Part = { name: '', around: (value) => value }
  return [
    ...alternatives.flatMap((each) => partsOf(each, named, depth)),
    ...properties.flatMap(([name, each]) =>
      [itself, ...partsOf(each, named, depth - 1)].map((part) =>
        inside(part, name, (value) => ({ ...constants, [name]: value })),
      ),
    ),
    ...(described.items
      ? [itself, ...partsOf(described.items, named, depth - 1)].map((part) => inside(part, '0', (value) => [value]))
      : []),
  ]
}

function partsOfSchema(schema: unknown): Part[] {
  if (!(schema instanceof z.ZodType)) return []
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Described
  // Named schemas are described separately, once the description of the API has named them.
  return partsOf(described, described.$defs ?? {})
}

/** Returns the CPU seconds of a check. */
function secondsOf(schema: z.ZodType, input: unknown): number {
  const before = process.cpuUsage()
  schema.safeParse(input)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

const sizes = { params: texts(path), query: texts(most), body: bodies } as const
const cases = (Object.entries(api) as [string, Route][]).flatMap(([call, route]) =>
  (['params', 'query', 'body'] as const).flatMap((where) =>
    partsOfSchema(route[where]).map((part) => ({ ...part, call, where, schema: route[where] as z.ZodType })),
  ),
)

test('every part of every call is checked in linear time', { timeout: 600_000 }, () => {
  expect(cases.length).toBeGreaterThan(700)
  const seen = new Set<string>()
  const slow = cases.flatMap(({ call, where, name, around, schema }) => {
    // Alternatives share parts.
    if (seen.size === seen.add(`${call} ${where} ${name} ${JSON.stringify(around('?'))}`).size) return []
    return sizes[where].flatMap(([kind, value]) => {
      const seconds = secondsOf(schema, around(value))
      return seconds > mostSeconds ? [`${call}: ${where}.${name} of ${kind}: ${seconds.toFixed(1)} s`] : []
    })
  })
  expect(slow).toEqual([])
})
