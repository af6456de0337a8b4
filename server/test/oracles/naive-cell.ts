import {
  type DrawnCell,
  type DrawnFilter,
  containsText,
  keysIn,
  narrowedRows,
  rowsBefore,
  stagesIn,
  type World,
} from './naive-dashboard.ts'

type Asked = Record<string, unknown>
type Answer = {
  rows: Asked[]
  total: number
  totals?: Asked
  rowTotals?: Asked[]
  columnTotals?: Asked[]
  kpi?: { value: number | null; previous?: number | null }
}
/** The requested part of a cell. */
export type DrawnPart = { search: string; sort: Record<string, 1 | -1>; skip: number; limit?: number }

const sortStage = (sort: Record<string, 1 | -1> | undefined): Asked[] =>
  sort && Object.keys(sort).length > 0 ? [{ $sort: sort }] : []

/** Oracle for a cell: computes its result in a slow and obvious way. */
export function expectedAnswer(cell: DrawnCell, world: World, part: DrawnPart): Answer {
  const { type, filter } = cell.chart
  if (type === 'DatePicker' || !filter) return { rows: [], total: 0 }
  const stages = stagesIn(filter, world)
  const isGrouped = stages.some((stage) => '$group' in stage)
  const sort = sortStage(filter.sort)
  switch (type) {
    case 'KPI':
      return { rows: [], total: 0, kpi: expectedKpi(cell, filter, world) }
    case 'Dropdown':
      return expectedValues(cell, stages, world, part)
    case 'PaginaTable':
      return expectedPage(cell, filter, world, part)
    case 'Table':
      if (!isGrouped) return expectedPage(cell, filter, world, part)
  }
  const rows = narrowedRows(cell, [...stages, ...sort], world)
  const answer = { rows, total: rows.length }
  if (type !== 'CalculatedTable' && type !== 'Pivot') return answer
  const [totals] = totalsOf(cell, stages, world, [])
  const withTotals = { ...answer, ...(totals && { totals }) }
  if (type === 'CalculatedTable') return withTotals
  const isCut = '$group' in (stages.at(-1) ?? {}) ? () => true : (name: string, row: Asked) => hasValue(rows, name, row)
  const ofKey = ([name, key]: [string, unknown]): Asked[] =>
    totalsOf(cell, stages, world, [[name, key]]).filter((row) => isCut(name, row))
  const [rowKey = ['', ''], columnKey = ['', '']] = keysIn(stages)
  return { ...withTotals, rowTotals: ofKey(rowKey), columnTotals: ofKey(columnKey) }
}

const hasValue = (rows: Asked[], name: string, row: Asked): boolean => rows.some((each) => each[name] === row[name])

/** Returns the values of the same contacts, grouped by other keys. */
function totalsOf(cell: DrawnCell, stages: Asked[], world: World, keys: [string, unknown][]): Asked[] {
  const at = stages.findIndex((stage) => '$group' in stage)
  const group = stages[at]?.['$group'] as Asked
  const id = keys.length === 0 ? null : Object.fromEntries(keys)
  return narrowedRows(cell, [...stages.slice(0, at), { $group: { ...group, _id: id } }], world)
}

const hasContacts = (stages: Asked[]): boolean => !stages.some((stage) => '$unwind' in stage || '$group' in stage)

function expectedPage(cell: DrawnCell, filter: DrawnFilter, world: World, part: DrawnPart): Answer {
  const stages = stagesIn(filter, world)
  const order = sortStage(Object.keys(part.sort).length > 0 ? part.sort : filter.sort)
  const { columns = [] } = filter
  const isGrouped = stages.some((stage) => '$group' in stage)
  // Contacts and events omit missing values; other rows have all their columns.
  const areContacts = !stages.some((stage) => '$group' in stage || '$project' in stage)
  const project = isGrouped ? [] : [{ $project: Object.fromEntries(columns.map((name) => [name, 1])) }]
  const all = narrowedRows(cell, [...stages, ...order, ...project], world).map((row) =>
    areContacts ? Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) : row,
  )
  return { rows: all.slice(part.skip, part.skip + (part.limit ?? 5)), total: all.length }
}

/** Returns values of the first key of the groups that the cell shows, with the number of contacts or events of each. */
function expectedValues(cell: DrawnCell, stages: Asked[], world: World, part: DrawnPart): Answer {
  const at = stages.findIndex((stage) => '$group' in stage)
  const counted = { $group: { ...(stages[at]?.['$group'] as Asked), all: { $count: {} } } }
  const [name = ''] = keysIn(stages)[0] ?? []
  const groups = narrowedRows(
    cell,
    [...stages.slice(0, at), counted, ...stages.slice(at + 1), { $sort: { [name]: 1 } }],
    world,
  )
  const counts = new Map<string | number | boolean | null, number>()
  for (const row of groups) {
    const value = row[name] as string | number | boolean | null
    counts.set(value, (counts.get(value) ?? 0) + Number(row['all']))
  }
  const wanted = part.search.trim()
  const rows = [...counts]
    .filter(([value]) => wanted === '' || (value !== null && containsText(String(value), wanted)))
    .map(([value, count]) => ({ value, count }))
  return { rows: rows.slice(part.skip, part.skip + (part.limit ?? 50)), total: rows.length }
}

function expectedKpi(cell: DrawnCell, filter: DrawnFilter, world: World): NonNullable<Answer['kpi']> {
  const { options, filter2 } = cell.chart
  const template = options?.template ?? 'kpi-1'
  const isRatio = template === 'ratio-with-master-date-range'
  const number = (of: DrawnFilter | undefined, rowsOf: typeof rowsBefore): number | null => {
    const stages = of ? stagesIn(of, world) : []
    const rows = rowsOf(cell, stages, world)
    return rows && numberOf(stages, rows)
  }
  const one = (rowsOf: typeof rowsBefore): number | null => {
    const value = number(filter, rowsOf)
    if (!isRatio) return value
    const whole = number(filter2, rowsOf)
    return value === null || !whole ? null : (value / whole) * 100
  }
  const hasPrevious = template !== 'kpi-1' && rowsBefore(cell, stagesIn(filter, world), world) !== null
  return { value: one(narrowedRows), ...(hasPrevious && { previous: one(rowsBefore) }) }
}

function numberOf(stages: Asked[], rows: Asked[]): number | null {
  const group = stages.find((stage) => '$group' in stage)?.['$group'] as Asked | undefined
  if (!group) return rows.length
  const [name = ''] = Object.keys(group).filter((each) => each !== '_id')
  const operator = Object.keys(group[name] as Asked)[0] ?? ''
  // Sums and counts of nothing are 0.
  if (rows.length === 0) return ['$sum', '$count', '$size'].includes(operator) ? 0 : null
  const value = rows[0]?.[name]
  return typeof value === 'number' ? value : null
}

/** Returns whether a page of the cell has a defined order: events of the same moment have none. */
export const hasOrder = (cell: DrawnCell, world: World): boolean =>
  !cell.chart.filter ||
  hasContacts(stagesIn(cell.chart.filter, world)) ||
  stagesIn(cell.chart.filter, world).some((stage) => '$group' in stage)
