import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { kpiTemplateOf, ratioTemplate } from '@portico/contract/dashboards/cell-kinds'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import type { GroupValue } from '@portico/contract/dashboards/interaction'
import { addDecimals } from '@portico/domain/decimals'
import { addsUp, findGroup, isChoice } from '@portico/domain/pipeline/grouping'
import type { Accumulator, Group, Key, Pipeline, Row, Stage } from '@portico/domain/pipeline/pipeline'
import { fieldTerm } from '@portico/domain/pipeline/terms'
import { invalidField } from '#platform/app-error.ts'
import type { ContactReader } from '#search'

/** Stages of a cell's filters: narrowed, and with saved filters expanded. `previous`: for the previous period. */
export type CellStages = { filter: Pipeline; filter2?: Pipeline; previous?: Pipeline; previous2?: Pipeline }

/** The requested part of a cell's rows. */
export type CellPart = {
  search: string
  sort: Record<string, 1 | -1>
  skip: number
  limit?: number
  /** Maximum number of groups; by default, as many as a screen shows. */
  groups?: number
  /** For a dropdown: the only values to return. */
  among?: readonly GroupValue[]
}

/** The part of an answer that is read from contacts. */
export type Rows = Omit<CellAnswer, 'asOf' | 'dates' | 'fields'>

/**
 * Computes the rows that a cell shows (docs/dashboards.md, "Kinds of cells").
 * @throws invalid_input for an order by columns that the cell does not show
 */
export async function readCell(
  chart: CellChart,
  stages: CellStages,
  part: CellPart,
  contacts: ContactReader,
): Promise<Rows> {
  const { filter } = stages
  switch (chart.type) {
    case 'Text':
    case 'DatePicker':
      return { rows: [], total: 0 }
    case 'KPI':
      return { rows: [], total: 0, kpi: await readKpi(chart, stages, contacts) }
    case 'Dropdown':
      return readValues(filter, part, contacts)
    case 'PaginaTable':
      return readPage(chart, filter, part, contacts)
    case 'Table':
      return findGroup(filter) ? readGroups(chart, filter, part, contacts) : readPage(chart, filter, part, contacts)
    case 'CalculatedTable':
      return readWithTotals(chart, filter, part, contacts)
    case 'Pivot':
      return readPivot(chart, filter, part, contacts)
    case 'Area':
    case 'Bar':
    case 'Column':
    case 'Combo':
    case 'Geo':
    case 'Line':
    case 'Pie':
      return readGroups(chart, filter, part, contacts)
  }
}

async function readGroups(
  { filter }: CellChart,
  stages: Pipeline,
  { groups = dashboardLimits.groups }: Pick<CellPart, 'groups'>,
  contacts: ContactReader,
): Promise<Rows> {
  const sort = filter?.sort
  const rows = await contacts.rows(stages, { limit: groups + 1, ...(sort && { sort }) })
  if (rows.length <= groups) return { rows, total: rows.length }
  return { rows: rows.slice(0, groups), total: await contacts.count(stages) }
}

/** The computed values of the same contacts, by one key only or (null) in a single group. */
async function readTotals(stages: Pipeline, key: string | null, contacts: ContactReader): Promise<Row[]> {
  const found = findGroup(stages)
  if (!found) return []
  const { at, group } = found
  const keys = group.keys.filter(({ name }) => name === key)
  if (key !== null && keys.length === 0) return []
  const totals: Group = { ...group, keys, isNamed: key !== null }
  return contacts.rows([...stages.slice(0, at), totals], { limit: dashboardLimits.groups })
}

async function readWithTotals(
  chart: CellChart,
  stages: Pipeline,
  part: CellPart,
  contacts: ContactReader,
): Promise<Rows> {
  const groups = await readGroups(chart, stages, part, contacts)
  const [totals] = canAdd(stages, groups) ? addUp(groups.rows, null, stages) : await readTotals(stages, null, contacts)
  return { ...groups, ...(totals && { totals }) }
}

async function readPivot(chart: CellChart, stages: Pipeline, part: CellPart, contacts: ContactReader): Promise<Rows> {
  const [rowKey, columnKey] = findGroup(stages)?.group.keys.map(({ name }) => name) ?? []
  const groups = await readWithTotals(chart, stages, part, contacts)
  // Stages after the group omit rows; totals must not show the keys of these either.
  const totalsBy = async (name: string | undefined): Promise<Row[]> => {
    const all = await readTotals(stages, name ?? null, contacts)
    if (endsInGroup(stages) || name === undefined) return all
    const shown = new Set(groups.rows.map((row) => row[name]))
    return all.filter((row) => shown.has(row[name]))
  }
  // If the cell has no order, rows are sorted by their first key.
  const isByKey = rowKey !== undefined && !chart.filter?.sort && canAdd(stages, groups)
  return {
    ...groups,
    rowTotals: isByKey ? addUp(groups.rows, rowKey, stages) : await totalsBy(rowKey),
    columnTotals: await totalsBy(columnKey),
  }
}

const endsInGroup = (stages: Pipeline): boolean => stages.at(-1)?.kind === 'group'

/** Whether totals are the sums of these rows, so the contacts need not be read again. */
function canAdd(stages: Pipeline, { rows, total }: Rows): boolean {
  const values = findGroup(stages)?.group.values ?? []
  return endsInGroup(stages) && rows.length === total && values.every(addsUp)
}

/** The sums of the computed values, by one key or (null) over all rows; keys are in the order of the rows. */
function addUp(rows: readonly Row[], key: string | null, stages: Pipeline): Row[] {
  const values = findGroup(stages)?.group.values ?? []
  const sums = new Map<unknown, Row>()
  for (const row of rows) {
    const value = key === null ? null : row[key]
    const sum = sums.get(value) ?? (key === null ? {} : { [key]: value })
    for (const { name } of values) sum[name] = addDecimals(Number(sum[name] ?? 0), Number(row[name] ?? 0))
    sums.set(value, sum)
  }
  return [...sums.values()]
}

const pageSize = 5

async function readPage(
  { filter }: CellChart,
  stages: Pipeline,
  part: CellPart,
  contacts: ContactReader,
): Promise<Rows> {
  const found = findGroup(stages)
  const columns = filter?.columns ?? []
  const shown = found ? [...found.group.keys, ...found.group.values].map(({ name }) => name) : columns
  const chosen = Object.keys(part.sort)
  const hidden = chosen.find((name) => !shown.includes(name))
  if (hidden !== undefined) throw invalidField('sort', `This cell shows no column "${hidden}".`)
  const sort = chosen.length > 0 ? part.sort : filter?.sort
  const { skip, limit = pageSize } = part
  const page = { limit, skip, ...(sort && { sort }), ...(!found && columns.length > 0 && { columns }) }
  const rows = await contacts.rows(stages, page)
  const isLastPage = rows.length < limit && (rows.length > 0 || skip === 0)
  return { rows, total: isLastPage ? skip + rows.length : await contacts.count(stages) }
}

const valuesAtOnce = 50

/** The values of the first key, with the number of contacts or events that have each. */
async function readValues(
  stages: Pipeline,
  { search, skip, limit = valuesAtOnce, among }: CellPart,
  contacts: ContactReader,
) {
  const found = findGroup(stages)
  const key = found?.group.keys[0]
  if (!found || !key) return { rows: [], total: 0 }
  const values: Pipeline = [
    ...valuesShown(stages, found, key),
    ...(among ? [where('value', { $in: [...among] })] : []),
    ...(search === '' ? [] : containing(search)),
  ]
  const rows = await contacts.rows(values, { limit, skip, sort: { value: 1 } })
  const isLastPage = rows.length < limit && (rows.length > 0 || skip === 0)
  return { rows, total: isLastPage ? skip + rows.length : await contacts.count(values) }
}

const where = (field: string, test: unknown): Stage => ({ kind: 'match', condition: [fieldTerm(field, test)] })

/** Stages that keep the values whose text contains the search text. */
const containing = (search: string): Pipeline => [
  { kind: 'addFields', fields: { text: { $toString: '$value' } } },
  where('text', { $regex: literally(search), $options: 'i' }),
  { kind: 'project', choices: { value: 1, count: 1 } },
]

const countColumn = 'portico: number in the group'

/**
 * Groups by the key alone. If the pipeline has stages after the stored group that select among its rows, only the
 * values of the remaining rows are shown.
 */
function valuesShown(stages: Pipeline, { at, group }: { at: number; group: Group }, key: Key): Pipeline {
  const [before, after] = [stages.slice(0, at), stages.slice(at + 1)]
  const count = (name: string): Accumulator => ({ name, operator: 'count', of: {} })
  if (after.length === 0) return [...before, byValue(key, count('count'))]
  return [
    ...before,
    { ...group, values: [...group.values, count(countColumn)] },
    ...after.flatMap(keepingColumns),
    byValue(
      { kind: 'field', name: 'value', field: key.name, part: null },
      {
        name: 'count',
        operator: 'sum',
        of: `$${countColumn}`,
      },
    ),
  ]
}

const byValue = (key: Key, count: Accumulator): Group => ({
  kind: 'group',
  keys: [{ ...key, name: 'value' }],
  isNamed: true,
  values: [count],
})

/** The stage without its choice of columns. */
function keepingColumns(stage: Stage): Pipeline {
  if (stage.kind !== 'project') return [stage]
  const computed = Object.entries(stage.choices).filter(([, choice]) => !isChoice(choice))
  return computed.length === 0 ? [] : [{ kind: 'addFields', fields: Object.fromEntries(computed) }]
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

async function readKpi(
  chart: CellChart,
  { filter, filter2, previous, previous2 }: CellStages,
  contacts: ContactReader,
): Promise<NonNullable<CellAnswer['kpi']>> {
  const isRatio = kpiTemplateOf(chart) === ratioTemplate
  const number = async (dividend: Pipeline, divisor: Pipeline | undefined): Promise<number | null> => {
    const value = await readNumber(dividend, contacts)
    if (!isRatio) return value
    const whole = divisor ? await readNumber(divisor, contacts) : null
    return value === null || whole === null || whole === 0 ? null : (value / whole) * 100
  }
  const value = await number(filter, filter2)
  return { value, ...(previous && { previous: await number(previous, previous2) }) }
}

/** The number of contacts or events, or the single value computed from them; null if there is none. */
async function readNumber(stages: Pipeline, contacts: ContactReader): Promise<number | null> {
  const found = findGroup(stages)
  if (!found) return contacts.count(stages)
  const [row] = await contacts.rows(stages, { limit: 1 })
  const [computed] = found.group.values
  const value = computed && row?.[computed.name]
  // Without any contacts, there is no row to count in.
  if (!row && computed && isZeroOfNothing(computed)) return 0
  return typeof value === 'number' ? value : null
}

/** Whether it is a sum or a count, which is 0 without contacts. */
const isZeroOfNothing = (computed: Accumulator): boolean => addsUp(computed) || computed.operator === 'size'
