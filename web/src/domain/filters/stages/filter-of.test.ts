import { dateParts, periods } from '@portico/domain/pipeline/pipeline'
import { formatPipeline, parsePipeline, parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  behavioralFields,
  type Condition,
  emptyFilter,
  eventFieldName,
  eventOperatorsFor,
  type Filter,
  type FilterField,
  type GroupBy,
  groupLimits,
  operatorsFor,
} from './filter.ts'
import { filterOf, readFilter } from './filter-of.ts'
import { valueProblem } from './filter-values.ts'
import { listOf } from './value-list.ts'
import { matchStagesOf, stagesOf } from './stages-of.ts'

const fields: FilterField[] = [
  { name: 'City', type: 'string', isIndexed: true },
  { name: 'Größe (cm)', type: 'number', isIndexed: true },
  { name: 'Is $member.of', type: 'boolean', isIndexed: true },
  { name: 'Joined', type: 'date', isIndexed: true },
  { name: 'Born', type: 'day', isIndexed: true },
  { name: '2019', type: 'number', isIndexed: true },
  { name: '$price', type: 'number', isIndexed: true },
  { name: '$ Day', type: 'date', isIndexed: true },
]

const day = fc
  .date({ min: new Date('2012-02-01'), max: new Date('2026-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((value) => String(value === 0 ? 0 : value))
/** JSON has no -0. */
const plain = (value: number): number => (value === 0 ? 0 : value)
const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const item = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  fc.constantFrom('Smith, John', 'a;b', '"quoted"', '"', ' a ', '\t', '\r\n', 'a"b, c"'),
)

const valueOf = (type: FilterField['type'], operator: Condition['operator']): fc.Arbitrary<string> => {
  const one = { string: text, number, boolean: fc.constantFrom('true', 'false'), date: day, day }[type]
  if (operator !== 'in' && operator !== 'nin') return one
  const items = fc.array(type === 'string' ? item : one, { minLength: 1, maxLength: 4 })
  return items.map(listOf)
}

const condition = (of: FilterField[], allowed = operatorsFor): fc.Arbitrary<Condition> =>
  fc
    .constantFrom(...of)
    .chain((field) =>
      fc.constantFrom(...allowed(field)).map((operator) => ({ field: field.name, type: field.type, operator })),
    )
    .chain((part) => valueOf(part.type, part.operator).map((value) => ({ ...part, value })))
    .filter((one) => valueProblem(one) === null)

const custom: FilterField = { name: 'Order total', type: 'number', isIndexed: true }
const eventRow = fc
  .array(condition([...behavioralFields, custom], eventOperatorsFor), { minLength: 1, maxLength: 3 })
  .map((conditions) => ({ conditions: conditions.map((one) => ({ ...one, isCustom: one.field === custom.name })) }))

const key = fc.oneof(
  fc.constantFrom('City', '2019', '$price', eventFieldName('event_code')).map((field) => ({ field, part: null })),
  fc.record({ field: fc.constantFrom('Joined', '$ Day'), part: fc.constantFrom(...dateParts, ...periods) }),
)
const groupBy: fc.Arbitrary<GroupBy> = fc
  .record({
    id: key,
    id2: fc.option(key),
    limit: fc.constantFrom(...groupLimits),
    sort: fc.constantFrom(1 as const, -1 as const),
    value: fc.constantFrom(
      { operator: 'count' as const, field: null, sortBy: 'value' as const },
      { operator: 'distinct' as const, field: null, sortBy: 'id' as const },
      { operator: 'sum' as const, field: 'Größe (cm)', sortBy: 'id' as const },
      { operator: 'avg' as const, field: '2019', sortBy: 'value' as const },
      { operator: 'max' as const, field: '$price', sortBy: 'value' as const },
    ),
  })
  .filter(({ id, id2 }) => id2 === null || id.field !== id2.field || id.part !== id2.part)
  .map(({ value, ...rest }) => ({ ...rest, ...value }))

const filter: fc.Arbitrary<Filter> = fc
  .record({
    standard: fc.array(condition(fields), { maxLength: 4 }),
    behavioral: fc.array(eventRow, { maxLength: 3 }),
    location: fc.option(
      fc.record({
        distance: fc.oneof(
          fc.integer({ min: 1, max: 12_000 }),
          fc.integer({ min: 1, max: 12_000_000 }).map((thousandths) => thousandths / 1000),
        ),
        latitude: fc.double({ min: -90, max: 90, noNaN: true }).map(plain),
        longitude: fc.double({ min: -180, max: 180, noNaN: true }).map(plain),
      }),
    ),
    fullText: fc.constantFrom('', 'anna zürich'),
    shape: fc.oneof(
      fc.record({ groupBy }),
      fc.record({
        columns: fc.uniqueArray(fc.constantFrom('City', 'Joined', 'Größe (cm)'), { maxLength: 3 }),
        sort: fc.option(
          fc.record({ field: fc.constantFrom('City', 'Joined'), order: fc.constantFrom(1 as const, -1 as const) }),
        ),
      }),
    ),
  })
  .map(({ shape, ...rest }) => ({ ...emptyFilter, ...rest, ...shape }))

test('rows become stages and back without loss, also by way of text', () => {
  fc.assert(
    fc.property(filter, (rows) => {
      // Requests and saved filters hold text.
      const stages = parsePipelineText(formatPipeline(stagesOf(rows))) ?? []
      expect(filterOf(stages, fields)).toEqual(rows)
      expect(matchStagesOf(filterOf(stages, fields))).toEqual(matchStagesOf(rows))
    }),
    { numRuns: 1000 },
  )
})

test('a saved filter replaces everything else', () => {
  const rows = { ...emptyFilter, predefined: '17' }
  expect(stagesOf(rows)).toEqual([{ kind: 'saved', id: '17' }])
  expect(filterOf([{ kind: 'saved', id: '17' }], fields)).toEqual(rows)
})

describe('filters written by others', () => {
  test('conditions directly in one or more $match become rows too', () => {
    const standard = [
      { field: 'City', type: 'string', operator: '=', value: 'Paris' },
      { field: 'Joined', type: 'date', operator: '>=', value: '2026-01-31' },
    ]
    const stages = [{ $match: { City: 'Paris' } }, { $match: { Joined: { $gte: '2026-01-31' } } }]
    expect(filterOf(parsePipeline(stages), fields)).toEqual({
      ...emptyFilter,
      standard,
    })
  })

  test('field names match in any letter case and are shown as the field is spelled', () => {
    expect(filterOf(parsePipeline([{ $match: { city: 'Paris' } }]), fields).standard).toEqual([
      { field: 'City', type: 'string', operator: '=', value: 'Paris' },
    ])
  })

  test.each([
    [[{ $match: { Town: 'Paris' } }], 'Unexpected field in standard filter: "Town"'],
    [[{ $match: { City: { $near: 'Paris' } } }], 'Unknown Operator: "$near"'],
    [[{ $match: { $or: [{ City: 'Paris' }] } }], 'Unknown Operator: "$or"'],
    [[{ $facet: {} }], 'Unknown Operator: "$facet"'],
    [[{ $match: { City: { $regex: 'a.c', $options: 'i' } } }], 'This filter can only be shown as text.'],
    [[{ $match: { City: { $in: [''] } } }], 'This filter can only be shown as text.'],
    [[{ $match: { City: { $gt: 'a', $lt: 'b' } } }], 'This filter can only be shown as text.'],
    [[{ $limit: 5 }, { $match: { City: 'Paris' } }], 'This filter can only be shown as text.'],
    [[{ $group: { _id: { City: '$City' } } }, { $match: { City: 'Paris' } }], 'This filter can only be shown as text.'],
    // A field that used to be a number and now holds text.
    [[{ $match: { City: 40 } }], 'This filter can only be shown as text.'],
  ])('%j is reported as: %s', (json, message) => {
    const stages = parsePipeline(json)
    expect(() => filterOf(stages, fields)).toThrow(message)
    // No stage is lost.
    const kept = readFilter(stages, fields)
    expect(kept).toEqual({ ...emptyFilter, advanced: { stages, problem: message } })
    expect(writePipeline(stagesOf(kept))).toEqual(json)
  })
})

test('for a pipeline that rows cannot show, the leading stages select the contacts', () => {
  const which = [{ $predefined: '17' }, { $match: { $or: [{ City: 'Paris' }] } }]
  const stages = [...which, { $addFields: { Year: { $year: '$Joined' } } }, { $match: { Year: 2026 } }]
  expect(writePipeline(matchStagesOf(readFilter(parsePipeline(stages), fields)))).toEqual(which)
})
