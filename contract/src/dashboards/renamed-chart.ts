import { isSameName } from '@portico/domain/names'
import { type FieldRename, renameField } from '@portico/domain/pipeline/rename-field'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { Definition } from './definition.ts'
import type { CellChart, CellFilter } from './cell-chart.ts'

/** A dashboard's cells with a new name of a field of contacts. */
export const renameInDefinition = (definition: Definition, rename: FieldRename): Definition => ({
  ...definition,
  layout: definition.layout.map((cells) =>
    cells.map((cell) => (cell.chart ? { ...cell, chart: renameInChart(cell.chart, rename) } : cell)),
  ),
})

function renameInChart(chart: CellChart, rename: FieldRename): CellChart {
  const { filter, filter2, calculatedColumns, portico } = chart
  const read = filter && renameInFilter(filter, rename)
  return {
    ...chart,
    ...(read && { filter: read.filter }),
    ...(filter2 && { filter2: renameInFilter(filter2, rename).filter }),
    ...(calculatedColumns && {
      calculatedColumns: calculatedColumns.map((column) => ({
        ...column,
        expression: column.expression.replaceAll(/\{\{([^{}]*)\}\}/g, (_, name: string) => {
          return `{{${read?.columnOf(name) ?? name}}}`
        }),
        position: column.position.replace(/^([ba]::)(.*)$/s, (_, kind: string, name: string) => {
          return `${kind}${read?.columnOf(name) ?? name}`
        }),
      })),
    }),
    ...(portico?.dateField !== undefined &&
      isSameName(portico.dateField, rename.from) && { portico: { ...portico, dateField: rename.to } }),
  }
}

function renameInFilter(filter: CellFilter, rename: FieldRename) {
  const { pipeline, columnOf } = renameField(parsePipeline(filter.standard), rename)
  const { columns, sort } = filter
  return {
    columnOf,
    filter: {
      ...filter,
      // The stages of a pipeline that was read of stages.
      standard: writePipeline(pipeline) as CellFilter['standard'],
      ...(columns && { columns: columns.map(columnOf) }),
      ...(sort && { sort: Object.fromEntries(Object.entries(sort).map(([name, order]) => [columnOf(name), order])) }),
    },
  }
}
