import { findGroup } from '@portico/domain/pipeline/grouping'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { columnProblems } from './calculated-column-problems.ts'
import { type CellChart, type CellFilter, chartMessages } from './cell-chart.ts'
import { isChartKind, kpiTemplateOf, ratioTemplate } from './cell-kinds.ts'
import { allTime, dayPresets, rangePresets } from '@portico/domain/days'

/** Maximum days of a date picker's range for a number of months (specification 4 §9). */
export const pickerRangeNames = { '31': '1 month', '62': '2 months', '93': '3 months' } as const

/** A problem of a cell's content. `key`: the part that is wrong, as in `calculatedColumns.0.name`. */
export type CellProblem = { key: string; message: string }

/** Returns the problems of parts that a chart of this kind lacks (specification 4 §5). */
export function chartProblems(chart: CellChart): CellProblem[] {
  const problems = [...filterProblems(chart), ...settingProblems(chart)]
  if (chart.filter2 && !(chart.type === 'KPI' && kpiTemplateOf(chart) === ratioTemplate)) {
    problems.push({
      key: 'filter2',
      message: `Only a KPI tile with the template ${ratioTemplate} has a second filter.`,
    })
  }
  return problems
}

/** Returns the number of keys and values of the last group; null without one. One row of all contacts has no key. */
function countColumns(filter: CellFilter | undefined): { keys: number; values: number } | null {
  const found = filter && findGroup(parsePipeline(filter.standard))
  return found ? { keys: found.group.keys.length, values: found.group.values.length } : null
}

function filterProblems({ type, filter, filter2, options }: CellChart): CellProblem[] {
  const group = countColumns(filter)
  const noGroup: CellProblem[] = [{ key: 'filter', message: chartMessages.groupBy }]
  if (isChartKind(type) || type === 'CalculatedTable') {
    if (!group || group.keys === 0) return noGroup
    if (group.values === 0) {
      return [{ key: 'filter', message: 'Choose sum, max, min, avg or count. Distinct is for dropdowns only.' }]
    }
    return []
  }
  if (type === 'Dropdown') return group && group.keys > 0 ? [] : noGroup
  if (type === 'Pivot') {
    if (!group) return noGroup
    const isWhole = group.keys === 2 && group.values > 0
    return isWhole
      ? []
      : [{ key: 'filter', message: 'A pivot table groups by two fields, and computes at least one value.' }]
  }
  if (type === 'PaginaTable' && !group && !filter?.columns?.length) {
    return [{ key: 'filter.columns', message: chartMessages.columns }]
  }
  if (type !== 'KPI') return []
  return [
    ...kpiProblems('filter', filter),
    ...(options.template === ratioTemplate ? kpiProblems('filter2', filter2) : []),
  ]
}

/** A tile shows one number: that of the matching contacts, or the one value computed of them. */
function kpiProblems(key: string, filter: CellFilter | undefined): CellProblem[] {
  if (!filter) return [{ key, message: chartMessages.required }]
  const group = countColumns(filter)
  if (!group || (group.keys === 0 && group.values === 1)) return []
  return [{ key, message: 'A KPI tile shows one number. Compute one value, and group by no field.' }]
}

function settingProblems(chart: CellChart): CellProblem[] {
  const { type, options } = chart
  const required = (key: string): CellProblem => ({ key, message: chartMessages.required })
  const needsColours = isChartKind(type) || type === 'KPI'
  const problems = needsColours && !options.colors?.length ? [required('options.colors')] : []
  if (type === 'CalculatedTable' && !chart.calculatedColumns?.length) {
    problems.push({ key: 'calculatedColumns', message: chartMessages.calculatedColumns })
  }
  for (const { index, key, message } of columnProblems(chart.calculatedColumns ?? [])) {
    problems.push({ key: `calculatedColumns.${index}.${key}`, message })
  }
  if (type === 'DatePicker') problems.push(...pickerProblems(chart))
  return problems
}

function pickerProblems({ datePickerType, defaultId, maxRange, portico }: CellChart): CellProblem[] {
  const problem = (key: string, message: string): CellProblem[] => [{ key, message }]
  if (datePickerType === undefined) return problem('datePickerType', chartMessages.required)
  if (defaultId === undefined) return problem('defaultId', chartMessages.required)
  const offered = datePickerType === 'month' ? rangePresets : dayPresets
  const isOffered = defaultId === allTime ? portico?.allTime === true : Object.hasOwn(offered, defaultId)
  if (!isOffered) return problem('defaultId', chartMessages.invalid)
  if (datePickerType === 'day') return []
  if (maxRange === undefined) return problem('maxRange', chartMessages.required)
  return Object.hasOwn(pickerRangeNames, maxRange) ? [] : problem('maxRange', chartMessages.invalid)
}
