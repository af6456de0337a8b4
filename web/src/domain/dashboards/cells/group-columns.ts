import type { CellAnswer } from '@portico/contract/dashboards'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { type Grouping, groupingOf } from '@portico/contract/dashboards/groups'
import { type GroupValue } from '@portico/contract/dashboards/interaction'
import { stagesOfFilter } from '@portico/contract/dashboards/narrowing'
import type { FieldType } from '@portico/contract/contacts'
import { formatValue, keyText } from '#domain/charts'
import { formatNumber } from '#lib/formats.ts'

type Row = CellAnswer['rows'][number]

/** A column of a cell's rows, and how its values read. */
export type CellColumn = { name: string; label: string; isNumber: boolean; textOf: (value: unknown) => string }

/** The grouping of a cell; null where its keys are computed, so that no filter can say what a row is. */
export function groupingOfCell({ filter }: CellChart, { fields }: Pick<CellAnswer, 'fields'>): Grouping | null {
  return filter ? groupingOf(stagesOfFilter(filter), fields) : null
}

const rounded = (value: number): string => formatNumber(Number(value.toPrecision(10)))

/** The columns of a cell's rows: keys as their names read, then values. */
export function columnsOfCell(chart: CellChart, answer: CellAnswer): CellColumn[] {
  const grouping = groupingOfCell(chart, answer)
  const types = new Map<string, FieldType>(answer.fields.map(({ name, type }) => [name.toLowerCase(), type]))
  const names = grouping
    ? [...grouping.keys.map(({ name }) => name), ...grouping.values]
    : (chart.filter?.columns ?? Object.keys(answer.rows[0] ?? {}).filter((name) => name !== '_id'))
  return names.map((name) => {
    const key = grouping?.keys.find((each) => each.name === name)
    const isNumber = !key && answer.rows.some((row) => typeof row[name] === 'number')
    return {
      name,
      label: name === '_id' && key ? key.field : name,
      isNumber,
      textOf: (value) =>
        key
          ? keyText(value, key)
          : typeof value === 'number'
            ? rounded(value)
            : formatValue(value, types.get(name.toLowerCase()) ?? 'string'),
    }
  })
}

/** The keys of a row, as a click sends them. */
export function keysOfRow({ keys }: Grouping, row: Row): GroupValue[] {
  return keys.map(({ name }) => {
    const value = row[name]
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
  })
}
