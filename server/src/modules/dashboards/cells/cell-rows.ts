import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { kpiTemplateOf, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import type { GroupValue } from '@portico/contract/dashboards/interaction'
import type { Stages } from '@portico/contract/filter'
import { hasStage } from '@portico/contract/stage-readers'
import { invalidField } from '#platform/app-error.ts'

/** Stages of a cell's filters, narrowed, without saved filters. `previous`: of the period before. */
export type CellStages = { filter: Stages; filter2?: Stages; previous?: Stages; previous2?: Stages }

/** The part of a cell's rows that is wanted. */
export type CellPart = {
  search: string
  sort: Record<string, 1 | -1>
  skip: number
  limit?: number
  /** Most groups; those that a screen shows unless given. */
  groups?: number
  /** Of a dropdown: the only values that are wanted. */
  among?: readonly GroupValue[]
}

/** Asks for rows of contacts or of a pipeline, or for their number. */
export type AskContacts = {
  rows: (
    stages: Stages,
    page: { limit: number; skip?: number; sort?: Record<string, 1 | -1>; columns?: readonly string[] },
  ) => Promise<Row[]>
  count: (stages: Stages) => Promise<number>
}

type Row = Record<string, unknown>
type Rows = Omit<CellAnswer, 'asOf' | 'fields'>

/**
 * Works out what a cell shows (docs/dashboards.md, "Kinds of cells").
 * @throws invalid_input for an order by columns that the cell does not show
 */
export async function readCell(chart: CellChart, stages: CellStages, part: CellPart, ask: AskContacts): Promise<Rows> {
  const { filter } = stages
  switch (chart.type) {
    case 'Text':
    case 'DatePicker':
      return { rows: [], total: 0 }
    case 'KPI':
      return { rows: [], total: 0, kpi: await readKpi(chart, stages, ask) }
    case 'Dropdown':
      return readValues(filter, part, ask)
    case 'PaginaTable':
      return readPage(chart, filter, part, ask)
    case 'Table':
      return hasStage(filter, '$group') ? readGroups(chart, filter, part, ask) : readPage(chart, filter, part, ask)
    case 'CalculatedTable':
      return readWithTotals(chart, filter, part, ask)
    case 'Pivot':
      return readPivot(chart, filter, part, ask)
    case 'Area':
    case 'Bar':
    case 'Column':
    case 'Combo':
    case 'Geo':
    case 'Line':
    case 'Pie':
      return readGroups(chart, filter, part, ask)
  }
}

async function readGroups(
  { filter }: CellChart,
  stages: Stages,
  { groups = dashboardLimits.groups }: Pick<CellPart, 'groups'>,
  ask: AskContacts,
): Promise<Rows> {
  const sort = filter?.sort
  const rows = await ask.rows(stages, { limit: groups + 1, ...(sort && { sort }) })
  if (rows.length <= groups) return { rows, total: rows.length }
  return { rows: rows.slice(0, groups), total: await ask.count(stages) }
}

type Group = { _id: unknown } & Row

/** Where the last `$group` is, and what it says. */
type Found = { at: number; group: Group }

function groupAt(stages: Stages): Found | null {
  const at = stages.findLastIndex((stage) => Object.hasOwn(stage, '$group'))
  const group = stages[at]?.['$group']
  return typeof group === 'object' && group !== null && '_id' in group ? { at, group: group as Group } : null
}

/** Keys of a group by name. A single key without a name is `_id`. */
function keysOf({ _id: id }: Group): [name: string, key: unknown][] {
  if (id === null) return []
  const isNamed = typeof id === 'object' && !Object.keys(id as Row).some((name) => name.startsWith('$'))
  return isNamed ? Object.entries(id as Row) : [['_id', id]]
}

/** The computed values of the same contacts, by one key only or (null) in one group. */
async function readTotals(stages: Stages, key: string | null, ask: AskContacts): Promise<Row[]> {
  const found = groupAt(stages)
  if (!found) return []
  const { at, group } = found
  const entry = keysOf(group).find(([name]) => name === key)
  const id = key === null ? null : entry && Object.fromEntries([entry])
  if (id === undefined) return []
  return ask.rows([...stages.slice(0, at), { $group: { ...group, _id: id } }], { limit: dashboardLimits.groups })
}

async function readWithTotals(chart: CellChart, stages: Stages, part: CellPart, ask: AskContacts): Promise<Rows> {
  const groups = await readGroups(chart, stages, part, ask)
  const [totals] = canAdd(stages, groups) ? addUp(groups.rows, null, stages) : await readTotals(stages, null, ask)
  return { ...groups, ...(totals && { totals }) }
}

async function readPivot(chart: CellChart, stages: Stages, part: CellPart, ask: AskContacts): Promise<Rows> {
  const [rowKey, columnKey] = keysOf(groupAt(stages)?.group ?? { _id: null }).map(([name]) => name)
  const groups = await readWithTotals(chart, stages, part, ask)
  // Stages after the group leave rows out, whose keys are not shown beside the totals either.
  const totalsBy = async (name: string | undefined): Promise<Row[]> => {
    const all = await readTotals(stages, name ?? null, ask)
    if (endsInGroup(stages) || name === undefined) return all
    const shown = new Set(groups.rows.map((row) => row[name]))
    return all.filter((row) => shown.has(row[name]))
  }
  // Without an order of the cell, rows come by their first key.
  const isByKey = rowKey !== undefined && !chart.filter?.sort && canAdd(stages, groups)
  return {
    ...groups,
    rowTotals: isByKey ? addUp(groups.rows, rowKey, stages) : await totalsBy(rowKey),
    columnTotals: await totalsBy(columnKey),
  }
}

const endsInGroup = (stages: Stages): boolean => Object.hasOwn(stages.at(-1) ?? {}, '$group')

/** Whether totals are the sums of these rows: then they need no other look at all contacts. */
function canAdd(stages: Stages, { rows, total }: Rows): boolean {
  const { _id, ...values } = groupAt(stages)?.group ?? { _id: null }
  return endsInGroup(stages) && rows.length === total && Object.values(values).every(addsUp)
}

const addsUp = (accumulator: unknown): boolean =>
  typeof accumulator === 'object' && accumulator !== null && ('$count' in accumulator || '$sum' in accumulator)

/** The sums of the computed values, by one key or (null) of all rows; keys in the order of the rows. */
function addUp(rows: readonly Row[], key: string | null, stages: Stages): Row[] {
  const { _id, ...values } = groupAt(stages)?.group ?? { _id: null }
  const sums = new Map<unknown, Row>()
  for (const row of rows) {
    const value = key === null ? null : row[key]
    const sum = sums.get(value) ?? (key === null ? {} : { [key]: value })
    for (const name of Object.keys(values)) sum[name] = Number(sum[name] ?? 0) + Number(row[name] ?? 0)
    sums.set(value, sum)
  }
  return [...sums.values()]
}

const pageSize = 5

async function readPage({ filter }: CellChart, stages: Stages, part: CellPart, ask: AskContacts): Promise<Rows> {
  const found = groupAt(stages)
  const columns = filter?.columns ?? []
  const shown = found
    ? [...keysOf(found.group).map(([name]) => name), ...Object.keys(found.group).filter((name) => name !== '_id')]
    : columns
  const chosen = Object.keys(part.sort)
  const hidden = chosen.find((name) => !shown.includes(name))
  if (hidden !== undefined) throw invalidField('sort', `This cell shows no column "${hidden}".`)
  const sort = chosen.length > 0 ? part.sort : filter?.sort
  const { skip, limit = pageSize } = part
  const page = { limit, skip, ...(sort && { sort }), ...(!found && columns.length > 0 && { columns }) }
  const rows = await ask.rows(stages, page)
  const isLastPage = rows.length < limit && (rows.length > 0 || skip === 0)
  return { rows, total: isLastPage ? skip + rows.length : await ask.count(stages) }
}

const valuesAtOnce = 50

/** The values of the first key, with the number of contacts or events that have each. */
async function readValues(stages: Stages, { search, skip, limit = valuesAtOnce, among }: CellPart, ask: AskContacts) {
  const found = groupAt(stages)
  const [key] = found ? keysOf(found.group) : []
  if (!found || !key) return { rows: [], total: 0 }
  const wanted = search
  const values: Stages = [
    ...valuesShown(stages, found, key),
    ...(among ? [{ $match: { value: { $in: [...among] } } }] : []),
    ...(wanted === ''
      ? []
      : [
          { $addFields: { text: { $toString: '$value' } } },
          { $match: { text: { $regex: literally(wanted), $options: 'i' } } },
          { $project: { value: 1, count: 1 } },
        ]),
  ]
  const rows = await ask.rows(values, { limit, skip, sort: { value: 1 } })
  const isLastPage = rows.length < limit && (rows.length > 0 || skip === 0)
  return { rows, total: isLastPage ? skip + rows.length : await ask.count(values) }
}

const countColumn = 'portico: number in the group'

/** Groups by the key alone. Stages after the stored group select among its rows; their values are all that is shown. */
function valuesShown(stages: Stages, { at, group }: Found, [name, key]: [name: string, key: unknown]): Stages {
  const [before, after] = [stages.slice(0, at), stages.slice(at + 1)]
  if (after.length === 0) return [...before, { $group: { _id: { value: key }, count: { $count: {} } } }]
  return [
    ...before,
    { $group: { ...group, [countColumn]: { $count: {} } } },
    ...after.flatMap(keepingColumns),
    { $group: { _id: { value: `$${name}` }, count: { $sum: `$${countColumn}` } } },
  ]
}

/** The stage without choosing columns. */
function keepingColumns(stage: Row): Stages {
  const projection = stage['$project']
  if (typeof projection !== 'object' || projection === null) return [stage]
  const computed = Object.entries(projection).filter(([, choice]) => ![0, 1, true, false].includes(choice as never))
  return computed.length === 0 ? [] : [{ $addFields: Object.fromEntries(computed) }]
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

async function readKpi(
  chart: CellChart,
  { filter, filter2, previous, previous2 }: CellStages,
  ask: AskContacts,
): Promise<NonNullable<CellAnswer['kpi']>> {
  const isRatio = kpiTemplateOf(chart) === ratioTemplate
  const number = async (dividend: Stages, divisor: Stages | undefined): Promise<number | null> => {
    const value = await readNumber(dividend, ask)
    if (!isRatio) return value
    const whole = divisor ? await readNumber(divisor, ask) : null
    return value === null || whole === null || whole === 0 ? null : (value / whole) * 100
  }
  const value = await number(filter, filter2)
  return { value, ...(previous && { previous: await number(previous, previous2) }) }
}

/** How many contacts or events there are, or the one value that is computed of them; null where there is none. */
async function readNumber(stages: Stages, ask: AskContacts): Promise<number | null> {
  const found = groupAt(stages)
  if (!found) return ask.count(stages)
  const [row] = await ask.rows(stages, { limit: 1 })
  const [name] = Object.keys(found.group).filter((each) => each !== '_id')
  const value = name === undefined ? null : row?.[name]
  // No contacts at all: there is no row to count in.
  if (!row && name !== undefined && isSum(found.group[name])) return 0
  return typeof value === 'number' ? value : null
}

/** Whether it adds up or counts: 0 of nothing. */
function isSum(accumulator: unknown): boolean {
  if (typeof accumulator !== 'object' || accumulator === null) return false
  return '$count' in accumulator || '$size' in accumulator || '$sum' in accumulator
}
