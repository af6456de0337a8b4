import { dateParts, periods } from '@portico/domain/pipeline/pipeline'
import { formatPipeline, parsePipeline, parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  behavioralFields,
  type Condition,
  emptyFilter,
  type EventCondition,
  eventFieldName,
  eventOperatorsFor,
  type Filter,
  type FilterField,
  type GroupBy,
  type GroupKey,
  groupLimits,
  type Measure,
  operatorsFor,
  valuelessOperators,
} from './filter.ts'
import { filterOf, readFilter } from './filter-of.ts'
import { readsEvents } from './group-stages.ts'
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
  if (valuelessOperators[operator] !== undefined) return fc.constant('')
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
/** Without a value, a custom field has no type of its own. */
const eventCondition = (one: Condition): EventCondition => ({
  ...one,
  isCustom: one.field === custom.name,
  ...(one.field === custom.name && valuelessOperators[one.operator] !== undefined && { type: 'string' }),
})
const eventConditions = (allowed = operatorsFor): fc.Arbitrary<EventCondition[]> =>
  fc
    .array(condition([...behavioralFields, custom], allowed), { minLength: 1, maxLength: 3 })
    .map((conditions) => conditions.map(eventCondition))
const eventRow = eventConditions(eventOperatorsFor).map((conditions) => ({ conditions }))

const key = fc
  .oneof(
    fc.constantFrom('City', '2019', '$price', eventFieldName('event_code')).map((field) => ({ field, part: null })),
    fc.record({ field: fc.constantFrom('Joined', '$ Day'), part: fc.constantFrom(...dateParts, ...periods) }),
  )
  .chain((one) => fc.constantFrom<GroupKey>(one, { ...one, name: 'First' }, { ...one, name: 'Page' }))

const ofValues = [...fields, ...behavioralFields.map((field) => ({ ...field, name: eventFieldName(field.name) }))]
const conditionalMeasures = fc
  .record({ some: fc.array(condition(ofValues), { minLength: 1, maxLength: 3 }), others: condition(ofValues) })
  .map(({ some, others }): Measure[] => [
    { operator: 'count', field: null, conditions: some, name: 'Some' },
    { operator: 'size', field: 'City', conditions: [others], divisor: { operator: 'count', field: null } },
    { operator: 'avg', field: '2019', name: 'Rate', divisor: { operator: 'max', field: '2019', conditions: [others] } },
  ])

const plainMeasures = fc.constantFrom<Measure[]>(
  [],
  [{ operator: 'count', field: null }],
  [{ operator: 'sum', field: 'Größe (cm)' }],
  [
    { operator: 'avg', field: '2019', name: 'Visits' },
    { operator: 'size', field: '_id', name: 'Visitors' },
  ],
  [
    { operator: 'max', field: '$price' },
    { operator: 'size', field: eventFieldName('pdid') },
    { operator: 'count', field: null, name: 'Contacts' },
  ],
)

const measures = fc.oneof(plainMeasures, conditionalMeasures)

const groupBy: fc.Arbitrary<GroupBy> = fc
  .record({
    id: key,
    id2: fc.option(key),
    isOfEvents: fc.boolean(),
    events: fc.oneof(fc.constant<EventCondition[]>([]), eventConditions()),
    measures,
    sortBy: fc.constantFrom('id' as const, 0, 1, null),
    sort: fc.constantFrom(1 as const, -1 as const),
    limit: fc.constantFrom(null, ...groupLimits),
  })
  .filter(({ id, id2 }) => id2 === null || (id.field !== id2.field && (id.name === undefined || id.name !== id2.name)))
  .map((group) => ({
    ...group,
    isOfEvents: group.isOfEvents || readsEvents(group),
    ...(typeof group.sortBy === 'number' && group.sortBy >= group.measures.length && { sortBy: 'id' as const }),
    ...(group.sortBy === null && { sort: 1 as const }),
  }))

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

  test.each([
    [{ $match: { City: { $ne: null } } }, 'filled'],
    [{ $match: { City: { $exists: true } } }, 'filled'],
    [{ $match: { City: null } }, 'empty'],
  ])('%j asks whether there is a value', (stage, operator) => {
    expect(filterOf(parsePipeline([stage]), fields).standard).toEqual([
      { field: 'City', type: 'string', operator, value: '' },
    ])
  })

  test('a condition on rows of events is one on the events that are grouped', () => {
    const stages = [
      { $unwind: '$events' },
      { $match: { 'events.event_path': { $ne: null } } },
      { $group: { _id: { Page: '$events.event_path' }, Visits: { $count: {} } } },
    ]
    expect(filterOf(parsePipeline(stages), fields).groupBy).toEqual({
      id: { field: 'events.event_path', part: null, name: 'Page' },
      id2: null,
      isOfEvents: true,
      events: [{ field: 'event_path', type: 'string', operator: 'filled', value: '', isCustom: false }],
      measures: [{ operator: 'count', field: null, name: 'Visits' }],
      sortBy: null,
      sort: 1,
      limit: null,
    })
  })

  test('a condition of a value is shown in whatever form it is written', () => {
    const where = (test: object) => ({ $sum: { $cond: { if: test, then: 1 } } })
    const group = { _id: { City: '$City' }, n: where({ city: 'Paris', Born: { $ne: null } }) }
    expect(filterOf(parsePipeline([{ $group: group }]), fields).groupBy?.measures).toEqual([
      {
        operator: 'count',
        field: null,
        name: 'n',
        conditions: [
          { field: 'City', type: 'string', operator: '=', value: 'Paris' },
          { field: 'Born', type: 'day', operator: 'filled', value: '' },
        ],
      },
    ])
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
    [
      [{ $unwind: '$events' }, { $match: { City: 'Paris' } }, { $group: { _id: { City: '$City' } } }],
      'This filter can only be shown as text.',
    ],
    [[{ $unwind: '$events' }], 'This filter can only be shown as text.'],
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
