import { type FieldType, isDateType } from '@portico/contract/contacts'
import { radiansOf, type Stored, type StoredEvent, type Types } from './naive-filter.ts'

/** Random draws, always the same for the same seed. */
export type Draw = {
  below: (limit: number) => number
  chance: (probability: number) => boolean
  one: <T>(values: readonly T[]) => T
}

export function drawsOf(seed: number): Draw {
  let state = seed
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    one<T>(values: readonly T[]): T {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('nothing to draw from')
      return value
    },
  }
}

export const fieldTypes: Types = {
  Name: 'string',
  'Ci"ty ; --': 'string',
  'Ünïcode.Dot': 'string',
  Age: 'number',
  Score: 'number',
  Member: 'boolean',
  Since: 'date',
  Born: 'day',
}
// Clock changes of this zone are at midnight: days of 23 and 25 hours, and one that begins at one o'clock.
export const timeZone = 'America/Santiago'

const texts =
  `a|A|abc|ABC|Abd e|a%c|a_c|O'Neil|"|\\|a\\b|x\ny|𝄞|é|É|e|ß|ss|$1|$Name|'; DROP TABLE x; --| |zürich west|West 12|12|001`.split(
    '|',
  )
const numbers = [-1.5, 0, 1, 2, 2.5, 7, 40, 1e9, 0.125]
const days = ['2026-04-04', '2026-04-05', '2026-09-05', '2026-09-06', '2025-12-31', '2026-01-01']
const instants = [
  '2026-04-05T02:59:59.999Z',
  '2026-04-05T03:30:00.000Z',
  '2026-04-05T04:00:00.000Z',
  '2026-09-06T03:59:59.999Z',
  '2026-09-06T04:00:00.000Z',
  '2026-01-01T02:30:00.000Z',
  '2026-01-01T03:00:00.000Z',
  '2025-06-15T12:00:00.000Z',
]
const codes = ['open', 'click', 'page_view', "it's"]
const browsers = ['Firefox', 'Chrome', 'firefox']
const pages = ['Home', 'Pricing & more', '']
const prices = [1, 2.5, 10]
const places = [
  [0, 0],
  [51.5, -0.12],
  [-17, 179.9],
  [-17, -179.9],
  [89.5, 20],
  [89.5, -160],
  [-90, 0],
  [40.7, -74],
  [40.8, -73.9],
] as const

const valuesOf: Record<FieldType, readonly (string | number | boolean)[]> = {
  string: texts,
  number: numbers,
  boolean: [true, false],
  date: instants,
  day: days,
}

/** Generates contacts with values of every type, some missing, with events and places. */
export function drawContacts(draw: Draw, ids: readonly string[]): Stored[] {
  return ids.map((id) => {
    const values: Stored['values'] = new Map()
    for (const [name, type] of Object.entries(fieldTypes)) {
      if (draw.chance(0.8)) values.set(name, draw.one(valuesOf[type]))
    }
    const events = Array.from({ length: Math.max(0, draw.below(6) - 2) }, () => drawEvent(draw))
    const [latitude, longitude] = draw.one(places)
    const place = { latitude: Math.max(-90, latitude - draw.below(100) / 50), longitude }
    return { id, values, events, ...(draw.chance(0.7) && { place }) }
  })
}

function drawEvent(draw: Draw): StoredEvent {
  const event: StoredEvent = new Map<string, string | number | boolean>([
    ['event_code', draw.one(codes)],
    ['event_date', draw.one(instants)],
    ['is_trigger', draw.chance(0.3)],
  ])
  if (draw.chance(0.7)) event.set('browser', draw.one(browsers))
  if (draw.chance(0.5)) event.set('os', draw.one(texts))
  const page = draw.one(pages)
  if (page !== '') event.set('page', page)
  if (draw.chance(0.5)) event.set('price', draw.one(prices))
  return event
}

/** Generates a condition on a value of a type. */
function drawCondition(draw: Draw, type: FieldType): unknown {
  const known: readonly unknown[] = isDateType(type)
    ? [...instants, ...days, '2026-01-01T00:00:00-03:00']
    : valuesOf[type]
  const one = (): unknown => (draw.chance(0.1) ? null : draw.chance(0.05) && type === 'string' ? '' : draw.one(known))
  const list = (): unknown[] => Array.from({ length: draw.below(4) }, one)
  const kinds: (() => unknown)[] = [
    one,
    () => ({ $eq: one() }),
    () => ({ $ne: one() }),
    () => ({ $in: list() }),
    () => ({ $nin: list() }),
    () => ({ $exists: draw.chance(0.5) }),
    () => ({ $not: { $in: list() } }),
  ]
  if (type !== 'boolean') {
    const bound = (): Record<string, unknown> => ({ [draw.one(['$gt', '$gte', '$lt', '$lte'])]: draw.one(known) })
    kinds.push(
      bound,
      () => ({ ...bound(), ...bound() }),
      () => ({ $not: bound() }),
    )
  }
  if (isDateType(type)) {
    const part = (): Record<string, number> =>
      draw.one([
        { $year: 2026 },
        { $month: draw.one([1, 4, 9]) },
        { $dayOfMonth: draw.one([1, 4, 5, 31]) },
        { $hour: draw.one([0, 1, 23]) },
        { $dayOfWeek: 1 + draw.below(7) },
      ])
    kinds.push(
      part,
      () => ({ ...part(), ...part() }),
      () => ({ $not: part() }),
    )
  }
  if (type === 'string') {
    kinds.push(() => ({ $regex: drawPattern(draw), ...(draw.chance(0.4) && { $options: 'i' }) }))
  }
  return draw.one(kinds)()
}

function drawPattern(draw: Draw): string {
  if (draw.chance(0.3))
    return draw.one(['a.c', '[a-c]+$', '^(a|A)', '\\bw', '\\x61', 'a.', '^.$', '%', '_', '\\d+', '^$'])
  const literal = draw.one(texts).replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
  return draw.one(['', '^']) + literal + draw.one(['', '$'])
}

/** Generates a `$match` of any shape. */
export function drawMatch(draw: Draw, depth = 0): Record<string, unknown> {
  if (depth < 3 && draw.chance(0.3)) {
    return {
      [draw.one(['$and', '$or', '$nor'])]: Array.from({ length: 1 + draw.below(3) }, () => drawMatch(draw, depth + 1)),
    }
  }
  const kind = draw.below(10)
  if (kind < 2) return { events: maybeNot(draw, '$elemMatch', drawEventMatch(draw)) }
  if (kind === 2) return { location: maybeNot(draw, '$geoWithin', { $centerSphere: drawCircle(draw) }) }
  if (kind === 3) return { $text: { $search: drawSearch(draw) } }
  const names = Object.keys(fieldTypes)
  const conditions = Array.from({ length: 1 + draw.below(2) }, () => {
    const name = draw.one(names)
    return [name, drawCondition(draw, fieldTypes[name] ?? 'string')]
  })
  return Object.fromEntries(conditions) as Record<string, unknown>
}

function maybeNot(draw: Draw, operator: string, asked: unknown): Record<string, unknown> {
  return draw.chance(0.15) ? { $not: { [operator]: asked } } : { [operator]: asked }
}

const eventConditions: Record<string, FieldType> = {
  event_code: 'string',
  event_date: 'date',
  browser: 'string',
  os: 'string',
  is_trigger: 'boolean',
}

function drawEventMatch(draw: Draw): Record<string, unknown> {
  const conditions = Array.from({ length: 1 + draw.below(3) }, (): [string, unknown] => {
    if (draw.chance(0.2))
      return ['price', draw.one([2.5, { $gt: 1 }, { $in: [1, 10] }, { $exists: false }, { $ne: 10 }])]
    if (draw.chance(0.2)) return ['page', draw.one(['Home', { $regex: '^Pri' }, null, { $ne: 'Home' }, { $lt: 'K' }])]
    const name = draw.one(Object.keys(eventConditions))
    return [name, drawCondition(draw, eventConditions[name] ?? 'string')]
  })
  const all = Object.fromEntries(conditions)
  return draw.chance(0.2) ? { $or: [all, { event_code: draw.one(codes) }] } : all
}

function drawCircle(draw: Draw): [number[], number] {
  const [latitude, longitude] = draw.one(places)
  return [[longitude, latitude], radiansOf(draw.one([0.5, 10, 100, 1000, 5000, 13_000]))]
}

function drawSearch(draw: Draw): string {
  return Array.from({ length: 1 + draw.below(2) }, () =>
    draw.one(['a', 'AB', 'west', 'zür', '12', '00', 'é', 'neil', 'dro', 'q']),
  ).join(' ')
}

const parts = ['$year', '$month', '$dayOfMonth', '$hour', '$dayOfWeek']

/** A part or a period of a date. */
export function drawDated(draw: Draw, date: string): unknown {
  if (draw.chance(0.5)) return { [draw.one(parts)]: date }
  return { $dateTrunc: { date, unit: draw.one(['day', 'week', 'month', 'quarter', 'year']) } }
}

/** Generates stages that group, compute and count; the last ones make the order unique. */
export function drawPipeline(draw: Draw): Record<string, unknown>[] {
  const stages: Record<string, unknown>[] = []
  if (draw.chance(0.5)) stages.push({ $match: drawMatch(draw, 2) })
  if (draw.chance(0.15)) stages.push({ $sort: { Age: -1, _id: 1 } }, { $limit: 1 + draw.below(3000) })
  if (draw.chance(0.3)) stages.push({ $addFields: { sum: drawExpression(draw, 0), label: { $toString: '$Score' } } })
  const hasSum = stages.some((stage) => '$addFields' in stage)
  const isUnwound = draw.chance(0.4)
  if (isUnwound) {
    stages.push({ $unwind: '$events' })
    if (draw.chance(0.4)) stages.push({ $match: { 'events.event_code': drawCondition(draw, 'string') } })
  }
  if (draw.chance(0.1)) return [...stages, { $count: 'many' }]
  if (!isUnwound && draw.chance(0.2)) {
    const project = { $project: { Name: 1, twice: { $multiply: ['$Age', 2] }, ...(hasSum && { sum: 1, label: 1 }) } }
    return [...stages, project, { $sort: { [draw.one(['Name', 'twice'])]: 1, _id: -1 } }, { $limit: 500 }]
  }
  stages.push({ $group: { _id: drawKeys(draw, isUnwound), ...drawAccumulators(draw, isUnwound, hasSum) } })
  if (draw.chance(0.3)) stages.push({ $match: { count: { [draw.one(['$gt', '$lte'])]: draw.below(400) } } })
  if (draw.chance(0.3)) stages.push({ $addFields: { share: { $round: [{ $divide: ['$count', 7] }, draw.below(4)] } } })
  if (draw.chance(0.7)) stages.push({ $sort: { count: draw.one([1, -1]) } })
  if (draw.chance(0.3)) stages.push({ $skip: draw.below(3) })
  if (draw.chance(0.5)) stages.push({ $limit: draw.one([5, 10, 50]) })
  return stages
}

function drawKeys(draw: Draw, isUnwound: boolean): unknown {
  const key = (): unknown => {
    if (isUnwound && draw.chance(0.5)) {
      return draw.one([
        '$events.event_code',
        '$events.browser',
        '$events.page',
        '$events.price',
        drawDated(draw, '$events.event_date'),
      ])
    }
    if (draw.chance(0.3)) return drawDated(draw, draw.one(['$Since', '$Born']))
    return `$${draw.one(Object.keys(fieldTypes))}`
  }
  const kind = draw.below(10)
  if (kind === 0) return null
  return kind < 5 ? key() : kind < 7 ? { First: key() } : { First: key(), Second: key() }
}

/** Generates a condition on fields alone, as values of groups have. */
function drawFieldMatch(draw: Draw, isUnwound: boolean): Record<string, unknown> {
  const condition = (): Record<string, unknown> => {
    if (isUnwound && draw.chance(0.4)) return { 'events.event_code': drawCondition(draw, 'string') }
    const name = draw.one(Object.keys(fieldTypes))
    return { [name]: drawCondition(draw, fieldTypes[name] ?? 'string') }
  }
  return draw.chance(0.3) ? { [draw.one(['$and', '$or', '$nor'])]: [condition(), condition()] } : condition()
}

export function drawAccumulators(draw: Draw, isUnwound: boolean, hasSum: boolean): Record<string, unknown> {
  const of = isUnwound ? ['$Age', '$Score', '$events.price'] : hasSum ? ['$Age', '$Score', '$sum'] : ['$Age', '$Score']
  const any = [...Object.keys(fieldTypes).map((name) => `$${name}`), ...(isUnwound ? ['$events.event_date'] : [])]
  const some = (value: unknown): unknown =>
    draw.chance(0.3) ? { $cond: { if: drawFieldMatch(draw, isUnwound), then: value } } : value
  const computation = (numbers: boolean): unknown =>
    draw.one<() => unknown>([
      () => ({ $sum: some(draw.one(of)) }),
      () => ({ $avg: some(draw.one(of)) }),
      () => ({ [draw.one(['$max', '$min'])]: some(draw.one(numbers ? of : any)) }),
      () => ({ $size: { $addToSet: some(draw.one(any)) } }),
      () => ({ $sum: some({ $multiply: [draw.one(of), 2] }) }),
      () => ({ $sum: some(1) }),
    ])()
  const accumulator = (): unknown =>
    draw.chance(0.2) ? { $divide: [computation(true), computation(true)] } : computation(false)
  const count = draw.chance(0.5) ? { $sum: 1 } : { $count: {} }
  return { count, ...(draw.chance(0.7) && { a: accumulator() }), ...(draw.chance(0.3) && { b: accumulator() }) }
}

function drawExpression(draw: Draw, depth: number): unknown {
  if (depth === 2 || draw.chance(0.3)) return draw.one<unknown>(['$Age', '$Score', 2, 0, { $dayOfWeek: '$Since' }])
  const operand = (): unknown => drawExpression(draw, depth + 1)
  const operator = draw.one(['$add', '$subtract', '$multiply', '$divide', '$round'])
  return { [operator]: operator === '$round' ? [operand(), draw.below(3)] : [operand(), operand()] }
}
