import {
  dayIn,
  datePart,
  matches,
  matchesValue,
  periodStart,
  type Stored,
  type StoredEvent,
  type Types,
} from './naive-filter.ts'
import { runPipeline } from './naive-pipeline.ts'

type Asked = Record<string, unknown>
type Value = string | number | boolean | null | undefined

/** A cell of a drawn dashboard, as it is sent. */
export type DrawnCell = {
  id: string
  cols: number
  chart: {
    type: string
    filter?: DrawnFilter
    filter2?: DrawnFilter
    options?: { template?: string; colors?: string[] }
    datePickerType?: 'month' | 'day'
    defaultId?: string
    maxRange?: number
    multipleSelect?: boolean
    portico?: { dateField?: string; ignoresClicks?: boolean }
    calculatedColumns?: object[]
  }
}
export type DrawnFilter = { standard: Asked[]; columns?: string[]; sort?: Record<string, 1 | -1>; predefined?: string }

type Range = { cell: string; preset: string } | { cell: string; from: string; to: string }
export type DrawnChoices = {
  clicks: { cell: string; keys: Value[][] }[]
  choices: { cell: string; include: Value[]; exclude: Value[] }[]
  ranges: Range[]
}

/** Everything that a result depends on. `today`: the account's day. `saved`: the stages of saved filters by id. */
export type World = {
  contacts: Stored[]
  types: Types
  timeZone: string
  today: string
  saved: Map<string, Asked[]>
  cells: DrawnCell[]
  choices: DrawnChoices
}

/** Decides whether a contact, or one of its events, is selected. */
type Selecting = { ofEvents: boolean; holds: (contact: Stored, event: StoredEvent | undefined) => boolean }

export type Days = { field: string; from: string; to: string }

export const groupKinds = ['Area', 'Bar', 'Column', 'Combo', 'Geo', 'Line', 'Pie', 'Table', 'CalculatedTable', 'Pivot']

/** Returns the stages of a filter, with its saved filter first. */
export const stagesIn = ({ standard, predefined }: DrawnFilter, { saved }: World): Asked[] => [
  ...(predefined === undefined ? [] : (saved.get(predefined) ?? [])),
  ...standard,
]

const groupAt = (stages: Asked[]): number => stages.findIndex((stage) => '$group' in stage)

/** Returns the keys of the stages' group, by name. */
export function keysIn(stages: Asked[]): [name: string, key: unknown][] {
  const id = (stages[groupAt(stages)]?.['$group'] as Asked | undefined)?.['_id'] ?? null
  if (id === null) return []
  const isNamed = typeof id === 'object' && !Object.keys(id)[0]?.startsWith('$')
  return isNamed ? Object.entries(id) : [['_id', id]]
}

/** The date and the unit of a key of periods; undefined for another. */
export const periodIn = (key: unknown): { date: string; unit: string } | undefined =>
  (key as { $dateTrunc?: { date: string; unit: string } }).$dateTrunc

export const fieldIn = (key: unknown): string =>
  String(typeof key === 'string' ? key : (periodIn(key)?.date ?? Object.values(key as Asked)[0])).slice(1)

export const isOfEvents = (field: string): boolean => field.startsWith('events.')

function valueOf(field: string, contact: Stored, event: StoredEvent | undefined): Value {
  return isOfEvents(field) ? event?.get(field.slice('events.'.length)) : contact.values.get(field)
}

/** Returns whether a contact or event is in the group with this key. */
function isInGroup(key: unknown, wanted: Value, { types, timeZone }: World): Selecting['holds'] {
  const field = fieldIn(key)
  return (contact, event) => {
    const value = valueOf(field, contact, event)
    if (value === undefined || value === null) return wanted === null || wanted === undefined
    const period = periodIn(key)
    if (period) return periodStart(period.unit, timeZone, String(value)) === wanted
    if (typeof key !== 'string') return datePart(Object.keys(key as Asked)[0] ?? '', timeZone, String(value)) === wanted
    const isDate = field === 'events.event_date' || types[field] === 'date'
    return isDate && typeof wanted === 'string' ? Date.parse(String(value)) === Date.parse(wanted) : value === wanted
  }
}

/** Returns everything except dates that narrows a cell: groups clicked elsewhere, and values of other dropdowns. */
function selectionsFor(cell: DrawnCell, world: World): Selecting[] {
  const { clicks, choices } = world.choices
  const source = (id: string): DrawnCell | undefined =>
    id === cell.id ? undefined : world.cells.find((each) => each.id === id)
  const takesClicks = cell.chart.type !== 'Dropdown' && cell.chart.portico?.ignoresClicks !== true
  const clicked = clicks.flatMap(({ cell: id, keys: rows }): Selecting[] => {
    const chart = takesClicks ? source(id)?.chart : undefined
    if (!chart?.filter || !groupKinds.includes(chart.type)) return []
    const keys = keysIn(stagesIn(chart.filter, world))
    if (keys.length === 0) return []
    const groups = rows.map((row) => keys.map(([, key], at) => isInGroup(key, row[at] ?? null, world)))
    return [
      {
        ofEvents: keys.some(([, key]) => isOfEvents(fieldIn(key))),
        holds: (contact, event) => groups.some((tests) => tests.every((test) => test(contact, event))),
      },
    ]
  })
  const chosen = choices.flatMap(({ cell: id, include, exclude }): Selecting[] => {
    const chart = source(id)?.chart
    const [, key] = chart?.type === 'Dropdown' && chart.filter ? (keysIn(stagesIn(chart.filter, world))[0] ?? []) : []
    if (key === undefined || (include.length === 0 && exclude.length === 0)) return []
    const among = (values: Value[], ...about: Parameters<Selecting['holds']>): boolean =>
      values.some((value) => isInGroup(key, value, world)(...about))
    return [
      {
        ofEvents: isOfEvents(fieldIn(key)),
        holds: (...about) => (include.length === 0 || among(include, ...about)) && !among(exclude, ...about),
      },
    ]
  })
  return [...clicked, ...chosen]
}

function shift(day: string, days: number): string {
  const date = new Date(`${day}T12:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** Returns the days of a selected range, or of a preset. */
function daysIn(range: Range | { preset: string }, today: string): { from: string; to: string } {
  if ('from' in range) return range
  const [year = 0, month = 0] = today.split('-').map(Number)
  switch (range.preset) {
    case 'T':
      return { from: today, to: today }
    case 'Y':
      return { from: shift(today, -1), to: shift(today, -1) }
    case 'TM':
      return { from: `${today.slice(0, 7)}-01`, to: today }
    case 'LM': {
      const [from, to] = [new Date(Date.UTC(year, month - 2, 1)), new Date(Date.UTC(year, month - 1, 0))]
      return { from: from.toISOString().slice(0, 10), to: to.toISOString().slice(0, 10) }
    }
    default:
      return { from: shift(today, -Number(range.preset)), to: today }
  }
}

const dateFieldIn = ({ chart }: DrawnCell): string => chart.portico?.dateField ?? 'events.event_date'

export const hasOwnPicker = ({ chart }: DrawnCell): boolean =>
  chart.type === 'KPI' && chart.options?.template === 'internal-date-range'

/** Returns the days that apply to a cell, one range per field, the one changed last at the end. */
export function rangesFor(cell: DrawnCell, { cells, choices, today }: World): Days[] {
  let ranges: Days[] = []
  const set = (by: DrawnCell, range: Range | { preset: string }): void => {
    const field = dateFieldIn(by)
    ranges = [...ranges.filter((each) => each.field !== field), { field, ...daysIn(range, today) }]
  }
  const initial = ({ chart }: DrawnCell) => ({ preset: chart.defaultId ?? '29' })
  const pickers = cells.filter(({ chart }) => chart.type === 'DatePicker')
  for (const picker of pickers) {
    if (!choices.ranges.some((range) => range.cell === picker.id)) set(picker, initial(picker))
  }
  for (const range of choices.ranges) {
    const picker = pickers.find(({ id }) => id === range.cell)
    if (picker) set(picker, range)
  }
  if (hasOwnPicker(cell)) set(cell, choices.ranges.findLast((range) => range.cell === cell.id) ?? initial(cell))
  return ranges
}

/** Returns the conditions that must all hold. */
export function conditionsIn(stages: Asked[]): Asked[] {
  const flat = (match: Asked): Asked[] =>
    Object.entries(match).flatMap(([name, asked]) =>
      name === '$and' ? (asked as Asked[]).flatMap(flat) : [{ [name]: asked }],
    )
  return stages.flatMap((stage) => flat(stage['$match'] as Asked))
}

/** Returns conditions that must all hold, without those that compare this field by order. */
function withoutOrder(conditions: Asked[], field: string): Asked[] {
  return conditions.flatMap((condition) => {
    const asked = condition[field]
    if (typeof asked !== 'object' || asked === null) return [condition]
    const left = Object.entries(asked).filter(([operator]) => !['$gt', '$gte', '$lt', '$lte'].includes(operator))
    return left.length === 0 ? [] : [{ [field]: Object.fromEntries(left) }]
  })
}

/** Returns the conditions on one event, if a condition consists only of these. */
export function innerOf({ events }: Asked): Asked[] | null {
  const inner = (events as Asked | undefined)?.['$elemMatch']
  return inner === undefined ? null : conditionsIn([{ $match: inner }])
}

/** Returns the conditions of a cell with those of its own dates replaced. */
export function withoutOwnDates(conditions: Asked[], ranges: Days[]): Asked[] {
  return ranges.reduce((left, { field }) => {
    if (!isOfEvents(field)) return withoutOrder(left, field)
    return withoutOrder(left, field).map((condition) => {
      const inner = innerOf(condition)
      return inner
        ? { events: { $elemMatch: { $and: withoutOrder(inner, field.slice('events.'.length)) } } }
        : condition
    })
  }, conditions)
}

/** Returns the rows of a cell's stages, narrowed. `ranges` replaces those that apply to the cell. */
export function narrowedRows(cell: DrawnCell, stages: Asked[], world: World, ranges = rangesFor(cell, world)): Asked[] {
  const { contacts, types, timeZone } = world
  const selections: Selecting[] = [
    ...selectionsFor(cell, world),
    ...ranges.map(({ field, from, to }) => ({
      ofEvents: isOfEvents(field),
      holds: (contact: Stored, event: StoredEvent | undefined) => {
        const value = valueOf(field, contact, event)
        const day = typeof value === 'string' ? dayIn(timeZone, value) : null
        return day !== null && from <= day && day <= to
      },
    })),
  ]
  const at = stages.findIndex((stage) => !('$match' in stage || '$unwind' in stage))
  const [head, tail] = at === -1 ? [stages, []] : [stages.slice(0, at), stages.slice(at)]
  const unwindAt = head.findIndex((stage) => '$unwind' in stage)
  const before = withoutOwnDates(conditionsIn(unwindAt === -1 ? head : head.slice(0, unwindAt)), ranges)
  const matchesAll = (contact: Stored, conditions: Asked[]): boolean =>
    conditions.every((condition) => matches(contact, condition, types, timeZone))
  if (unwindAt !== -1) {
    const found = contacts
      .filter((contact) => matchesAll(contact, before))
      .map((contact) => ({
        ...contact,
        events: (contact.events ?? []).filter((event) => selections.every(({ holds }) => holds(contact, event))),
      }))
    const after = withoutOwnDates(conditionsIn(head.slice(unwindAt + 1)), ranges)
    return runPipeline(found, types, timeZone, [
      { $unwind: '$events' },
      ...after.map(($match) => ({ $match })),
      ...tail,
    ])
  }
  const ofEvents = selections.filter((selection) => selection.ofEvents)
  const ofContacts = selections.filter((selection) => !selection.ofEvents)
  const others = before.filter((condition) => innerOf(condition) === null)
  const own = before.flatMap((condition) => {
    const inner = innerOf(condition)
    return inner ? [inner] : []
  })
  const inners = own.length > 0 ? own : [[]]
  const found = contacts.filter((contact) => {
    if (!ofContacts.every(({ holds }) => holds(contact, undefined))) return false
    if (ofEvents.length === 0) return matchesAll(contact, before)
    const isSelected = (event: StoredEvent): boolean => ofEvents.every(({ holds }) => holds(contact, event))
    const hasEvent = (inner: Asked[]): boolean =>
      (contact.events ?? []).some(
        (event) =>
          isSelected(event) && (inner.length === 0 || matchesAll({ ...contact, events: [event] }, elemMatch(inner))),
      )
    return matchesAll(contact, others) && inners.every(hasEvent)
  })
  return runPipeline(found, types, timeZone, tail)
}

const elemMatch = (inner: Asked[]): Asked[] => [{ events: { $elemMatch: { $and: inner } } }]

/** Returns the rows of the previous period; null for a cell without a range. */
export function rowsBefore(cell: DrawnCell, stages: Asked[], world: World): Asked[] | null {
  const ranges = rangesFor(cell, world)
  const isNamed = cell.chart.portico?.dateField !== undefined || hasOwnPicker(cell)
  const own = isNamed ? ranges.find(({ field }) => field === dateFieldIn(cell)) : ranges.at(-1)
  if (!own) return null
  const days = (Date.parse(own.to) - Date.parse(own.from)) / 86_400_000 + 1
  const before = { ...own, from: shift(own.from, -days), to: shift(own.from, -1) }
  return narrowedRows(
    cell,
    stages,
    world,
    ranges.map((range) => (range === own ? before : range)),
  )
}

/** Returns whether a text contains another, in any letter case. */
export const containsText = (text: string, part: string): boolean =>
  matchesValue(text, { $regex: part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' }, 'string', 'UTC')
