import type { DrawnCell, DrawnChoices, DrawnFilter, World } from './naive-dashboard.ts'
import { groupKinds, hasOwnPicker, keysIn, narrowedRows, stagesIn } from './naive-dashboard.ts'
import type { DrawnPart } from './naive-cell.ts'
import type { Stored } from './naive-filter.ts'
import { runPipeline } from './naive-pipeline.ts'
import { type Draw, drawAccumulators, drawDated, drawMatch, fieldTypes } from './random-filters.ts'

type Asked = Record<string, unknown>

const dayBefore = (today: string, days: number): string =>
  new Date(Date.parse(`${today}T12:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10)

// Midnight in summer and in winter, and the moments before.
const times = ['03:00:00.000Z', '02:59:59.999Z', '04:00:00.000Z', '03:59:59.999Z', '12:00:00.000Z']

/** Moves most dates to days before today, so that date pickers find some. */
export function withRecentDates(draw: Draw, contacts: Stored[], today: string): Stored[] {
  const days = [0, 1, 2, 6, 7, 8, 13, 14, 29, 30, 31, 45, 60]
  const recent = (): string => `${dayBefore(today, draw.one(days) - 1)}T${draw.one(times)}`
  const withRecent = (values: Stored['values']): Stored['values'] => {
    const changed = new Map(values)
    if (values.has('Since') && draw.chance(0.7)) changed.set('Since', recent())
    if (values.has('Born') && draw.chance(0.7)) changed.set('Born', dayBefore(today, draw.one(days)))
    return changed
  }
  return contacts.map(({ values, events = [], ...contact }) => ({
    ...contact,
    values: withRecent(values),
    events: events.map((event) => (draw.chance(0.7) ? new Map([...event, ['event_date', recent()]]) : event)),
  }))
}

const dateFields = ['Since', 'Born', 'events.event_date']
const contactFields = Object.keys(fieldTypes)
const eventKeys = ['event_code', 'browser', 'page', 'os', 'is_trigger', 'event_date'].map((name) => `$events.${name}`)

/** Draws a comparison by order of a date, sometimes with another condition. */
function drawOwnRange(draw: Draw, field: string, today: string): Asked {
  const from = dayBefore(today, draw.below(80))
  const range = draw.one<Asked>([
    { $gte: from },
    { $lt: from },
    { $gt: from, $lte: dayBefore(today, 2) },
    { $gte: from, $ne: dayBefore(today, 1) },
  ])
  return draw.chance(0.3) ? { $and: [{ [field]: range }, { [field]: { $lte: today } }] } : { [field]: range }
}

/** Returns whether a condition searches for words. */
export const searchesWords = (match: Asked | Asked[]): boolean => JSON.stringify(match).includes('"$text"')

function drawHead(
  draw: Draw,
  today: string,
  { isUnwound, hasText }: { isUnwound: boolean; hasText: boolean },
): Asked[] {
  const stages: Asked[] = []
  const match = (): Asked => {
    for (;;) {
      const drawn = drawMatch(draw, draw.one([1, 2, 3]))
      if (hasText || !searchesWords(drawn)) return drawn
    }
  }
  if (draw.chance(0.25)) stages.push({ $match: match() })
  if (draw.chance(0.25)) stages.push({ $match: { Age: { $not: { $gt: draw.one([1, 40, 1e9]) } } } })
  if (draw.chance(0.25)) stages.push({ $match: drawOwnRange(draw, 'Since', today) })
  if (draw.chance(0.3)) {
    const inner = draw.one<Asked>([
      drawOwnRange(draw, 'event_date', today),
      { ...drawOwnRange(draw, 'event_date', today), is_trigger: false },
      { browser: draw.one(['Firefox', 'Chrome']) },
      { $or: [{ event_code: 'open' }, { event_date: { $gte: dayBefore(today, 20) } }] },
    ])
    stages.push({ $match: { events: { $elemMatch: inner }, ...(draw.chance(0.3) && { Member: { $ne: true } }) } })
  }
  if (!isUnwound) return stages
  stages.push({ $unwind: '$events' })
  if (draw.chance(0.3)) stages.push({ $match: drawOwnRange(draw, 'events.event_date', today) })
  if (draw.chance(0.3)) stages.push({ $match: { 'events.event_code': { $ne: 'click' } } })
  return stages
}

function drawKey(draw: Draw, isUnwound: boolean): unknown {
  if (isUnwound && draw.chance(0.6)) {
    return draw.chance(0.3) ? drawDated(draw, '$events.event_date') : draw.one(eventKeys)
  }
  return draw.chance(0.3) ? drawDated(draw, draw.one(['$Since', '$Born'])) : `$${draw.one(contactFields)}`
}

/** Draws one or two keys; sometimes a year and its month. */
function drawKeys(draw: Draw, isUnwound: boolean, count: number): unknown {
  if (count === 1) return draw.chance(0.4) ? drawKey(draw, isUnwound) : { First: drawKey(draw, isUnwound) }
  if (draw.chance(0.25)) {
    const date = isUnwound && draw.chance(0.5) ? '$events.event_date' : draw.one(['$Since', '$Born'])
    const [first = '', second = ''] = draw.one([
      ['$year', '$month'],
      ['$month', '$year'],
      ['$month', '$dayOfMonth'],
    ])
    return { First: { [first]: date }, Second: { [second]: date } }
  }
  return { First: drawKey(draw, isUnwound), Second: drawKey(draw, isUnwound) }
}

type GroupOptions = { today: string; keys?: number; hasTail?: boolean }

function drawGrouped(
  draw: Draw,
  { today, keys = draw.chance(0.5) ? 1 : 2, hasTail = true }: GroupOptions,
): DrawnFilter {
  const isUnwound = draw.chance(0.45)
  const standard = drawHead(draw, today, { isUnwound, hasText: true })
  standard.push({ $group: { _id: drawKeys(draw, isUnwound, keys), ...drawAccumulators(draw, isUnwound, false) } })
  if (hasTail && draw.chance(0.15)) standard.push({ $match: { count: { $gt: 2 } } })
  if (hasTail && draw.chance(0.1)) standard.push({ $sort: { count: -1 } }, { $limit: 3 })
  return { standard, ...(draw.chance(0.4) && { sort: { count: draw.one([1, -1]) } }) }
}

/** Draws contacts or events, with columns. */
function drawList(draw: Draw, today: string): DrawnFilter {
  const isUnwound = draw.chance(0.3)
  const columns = [
    ...new Set([draw.one(contactFields), draw.one(contactFields), ...(isUnwound ? ['events.event_code'] : [])]),
  ]
  const sort = draw.chance(0.5) && { sort: { [columns[0] ?? '']: draw.one([1, -1] as const) } }
  return { standard: drawHead(draw, today, { isUnwound, hasText: false }), columns, ...sort }
}

/** Draws one number: of contacts, of events, or the one value computed of them. */
function drawNumber(draw: Draw, today: string): DrawnFilter {
  const isUnwound = draw.chance(0.4)
  const standard = drawHead(draw, today, { isUnwound, hasText: true })
  if (draw.chance(0.5)) return { standard }
  const value = draw.one<unknown>([
    { $sum: '$Age' },
    { $count: {} },
    { $sum: 1 },
    { $avg: '$Age' },
    { $max: '$Score' },
    { $size: { $addToSet: '$Name' } },
  ])
  return { standard: [...standard, { $group: { _id: null, value } }] }
}

const colors = ['#1971c2']

function drawChart(draw: Draw, today: string): DrawnCell['chart'] {
  const grouped = (more: Partial<GroupOptions> = {}): DrawnFilter => drawGrouped(draw, { today, ...more })
  const portico = draw.chance(0.15) && { portico: { ignoresClicks: true } }
  switch (draw.below(9)) {
    case 0:
      return {
        type: 'CalculatedTable',
        filter: grouped(),
        calculatedColumns: [{ name: 'Half', expression: '{{count}} / 2' }],
        ...portico,
      }
    case 1:
      return { type: 'Pivot', filter: grouped({ keys: 2 }), ...portico }
    case 2:
    case 3: {
      const template = draw.one(['kpi-1', 'internal-date-range', 'master-date-range', 'ratio-with-master-date-range'])
      const settings = {
        ...(draw.chance(0.3) && { dateField: draw.one(dateFields) }),
        ...(draw.chance(0.15) && { ignoresClicks: true }),
      }
      return {
        type: 'KPI',
        filter: drawNumber(draw, today),
        ...(template.startsWith('ratio') && { filter2: drawNumber(draw, today) }),
        options: { colors, template },
        ...(draw.chance(0.5) && { defaultId: draw.one(['6', '13', '29', 'TM', 'LM']) }),
        portico: settings,
      }
    }
    case 4:
      return { type: 'PaginaTable', filter: draw.chance(0.3) ? grouped() : drawList(draw, today), ...portico }
    case 5:
      return { type: 'Table', filter: draw.chance(0.6) ? grouped() : drawList(draw, today), ...portico }
    case 6:
      return { type: 'Dropdown', filter: grouped(), multipleSelect: draw.chance(0.5) }
    default:
      return { type: draw.one(groupKinds.slice(0, 7)), filter: grouped(), options: { colors }, ...portico }
  }
}

function drawPicker(draw: Draw): DrawnCell['chart'] {
  const isMonth = draw.chance(0.8)
  return {
    type: 'DatePicker',
    datePickerType: isMonth ? 'month' : 'day',
    defaultId: isMonth ? draw.one(['6', '13', '29', 'TM', 'LM']) : draw.one(['T', 'Y']),
    ...(isMonth && { maxRange: draw.one([31, 62, 93]) }),
    ...(draw.chance(0.5) && { portico: { dateField: draw.one(dateFields) } }),
  }
}

/**
 * Draws some cells of all kinds, half of the time with date pickers. Saved filters that search for words are not for
 * lists, which they sort by the best match: the oracle lacks this order.
 */
export function drawDashboard(draw: Draw, today: string, saved: World['saved']): DrawnCell[] {
  const all = [...saved.keys()]
  const forLists = all.filter((id) => !searchesWords(saved.get(id) ?? []))
  const charts = Array.from({ length: 4 + draw.below(4) }, () => drawChart(draw, today))
  if (draw.chance(0.5)) charts.push(...Array.from({ length: 1 + draw.below(3) }, () => drawPicker(draw)))
  return charts.map((chart, at) => {
    const { filter } = chart
    const eligible = filter?.columns ? forLists : all
    const own = filter &&
      eligible.length > 0 &&
      draw.chance(0.08) && { filter: { ...filter, predefined: draw.one(eligible) } }
    return { id: `c${at}`, cols: 12, chart: { ...chart, ...own } }
  })
}

type Group = (string | number | boolean | null)[]

/** Returns the groups of a cell as stored: their keys, in order. */
function groupsOf(cell: DrawnCell, world: World): Group[] {
  return groupsAmong(cell, world, (stages) => runPipeline(world.contacts, world.types, world.timeZone, stages))
}

function groupsAmong({ chart }: DrawnCell, world: World, rowsOf: (stages: Asked[]) => Asked[]): Group[] {
  if (!chart.filter) return []
  const stages = stagesIn(chart.filter, world)
  const keys = keysIn(stages)
  const at = stages.findIndex((stage) => '$group' in stage)
  if (keys.length === 0) return []
  return rowsOf(stages.slice(0, at + 1)).map((row) => keys.map(([name]) => row[name] as Group[number]))
}

/**
 * Returns groups to choose from, mostly those left by earlier choices, as on the screen; else most cells were empty.
 */
function offeredGroups(draw: Draw, cell: DrawnCell, world: World): Group[] {
  const left = draw.chance(0.8) ? groupsAmong(cell, world, (stages) => narrowedRows(cell, stages, world)) : []
  return left.length > 0 ? left : groupsOf(cell, world)
}

const draws = <T>(draw: Draw, values: readonly T[], count: number): T[] =>
  values.length === 0 ? [] : [...new Set(Array.from({ length: count }, () => draw.one(values)))]

/** Draws selections in some cells of a dashboard: days first, then groups and values. */
export function drawChoices(draw: Draw, world: World): DrawnChoices {
  const { cells, today } = world
  const made: DrawnChoices = { clicks: [], choices: [], ranges: [] }
  const [pickers, others] = [cells.filter(isPicker), cells.filter((cell) => !isPicker(cell))]
  for (const cell of pickers) {
    if (draw.chance(0.5)) made.ranges.push({ cell: cell.id, ...drawRange(draw, cell, today) })
  }
  if (draw.chance(0.5)) made.ranges.reverse()
  for (const cell of others) {
    const { type } = cell.chart
    const groups = (): Group[] => offeredGroups(draw, cell, { ...world, choices: made })
    if (type === 'Dropdown') {
      if (!draw.chance(0.6)) continue
      const values = [...new Set(groups().map(([value = null]) => value))]
      const include = draw.chance(0.6) ? draws(draw, values, 1 + draw.below(4)) : []
      const exclude = draw.chance(0.4) ? draws(draw, values, 1 + draw.below(3)) : []
      made.choices.push({ cell: cell.id, include, exclude })
    } else if (draw.chance(groupKinds.includes(type) ? 0.35 : 0.1)) {
      const offered = groups()
      // Several with Shift, and "Other", which sums most of them.
      const keys = draw.chance(0.2)
        ? offered.filter(() => draw.chance(0.7))
        : draws(draw, offered, draw.one([1, 1, 2, 4]))
      if (keys.length > 0) made.clicks.push({ cell: cell.id, keys })
    }
  }
  return made
}

const isPicker = (cell: DrawnCell): boolean => cell.chart.type === 'DatePicker' || hasOwnPicker(cell)

function drawRange(draw: Draw, { chart }: DrawnCell, today: string): { preset: string } | { from: string; to: string } {
  const isDay = chart.datePickerType === 'day'
  if (draw.chance(0.3)) return { preset: isDay ? draw.one(['T', 'Y']) : draw.one(['6', '13', '29', 'TM', 'LM']) }
  const last = draw.below(50)
  const length = isDay ? 0 : draw.below(chart.maxRange ?? 30)
  return { from: dayBefore(today, last + length), to: dayBefore(today, last) }
}

/** The requested part of a cell. */
export function drawPart(draw: Draw, cell: DrawnCell, isOrdered: boolean, world: World): DrawnPart {
  const { type, filter } = cell.chart
  const all: DrawnPart = { search: '', sort: {}, skip: 0 }
  if (type === 'Dropdown') {
    const isText = groupsOf(cell, world).every(
      ([value]) => value === null || (typeof value === 'string' && !/^\d{4}-/.test(value)),
    )
    return {
      ...all,
      search: isText && draw.chance(0.4) ? draw.one(['a', 'AB', ' ', 'é', '_', '\\', '|', 'e']) : '',
      skip: draw.one([0, 0, 2]),
      limit: draw.one([2, 50]),
    }
  }
  if (type !== 'PaginaTable' && !(type === 'Table' && filter?.columns)) return all
  if (!isOrdered) return { ...all, limit: 5000 }
  const shown = filter?.columns ?? ['count']
  const sort = draw.chance(0.4) ? { [draw.one(shown)]: draw.one([1, -1] as const) } : {}
  return { ...all, sort, skip: draw.one([0, 0, 3, 500]), ...(draw.chance(0.6) && { limit: draw.one([1, 10, 1000]) }) }
}
