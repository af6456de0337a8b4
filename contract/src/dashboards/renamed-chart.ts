import { isSameName } from '@portico/domain/names'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { nameAfter, type Renaming, renameField } from '@portico/domain/pipeline/rename-field'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { Definition } from './definition.ts'
import type { CellChart, CellFilter } from './cell-chart.ts'

/** Renames a field of contacts in a dashboard's cells, and returns for each cell whether it shows the same. */
export function renameInDefinition(
  definition: Definition,
  rename: Renaming,
): { renamed: Definition; isClear: boolean } {
  let isClear = true
  const layout = definition.layout.map((cells) =>
    cells.map((cell) => {
      if (!cell.chart) return cell
      const chart = renameInChart(cell.chart, rename)
      isClear &&= chart.isClear
      return { ...cell, chart: chart.renamed }
    }),
  )
  return { renamed: { ...definition, layout }, isClear }
}

function renameInChart(chart: CellChart, rename: Renaming): { renamed: CellChart; isClear: boolean } {
  const { filter, filter2, calculatedColumns = [], portico } = chart
  const read = filter && renameInFilter(filter, rename)
  const divisor = filter2 && renameInFilter(filter2, rename)
  const columnOf = (name: string): string => read?.columnOf(name) ?? name
  const renamed = {
    ...chart,
    ...(read && { filter: read.filter }),
    ...(divisor && { filter2: divisor.filter }),
    ...(chart.calculatedColumns && {
      calculatedColumns: calculatedColumns.map((column) => ({
        ...column,
        expression: column.expression.replaceAll(/\{\{([^{}]*)\}\}/g, (_, name: string) => `{{${columnOf(name)}}}`),
        position: column.position.replace(/^([ba]::)(.*)$/s, (_, kind: string, name: string) => {
          return `${kind}${columnOf(name)}`
        }),
      })),
    }),
    ...(portico && {
      portico: {
        ...portico,
        ...(portico.dateField !== undefined && { dateField: nameAfter(rename, portico.dateField) }),
        ...(portico.formats && { formats: mapNames(portico.formats, columnOf) }),
        ...(portico.display?.running && {
          display: { ...portico.display, running: mapNames(portico.display.running, columnOf) },
        }),
      },
    }),
  }
  const isTaken = calculatedColumns.some(({ name }) => isSameName(name, rename.to))
  return { renamed, isClear: !isTaken && (read?.isClear ?? true) && (divisor?.isClear ?? true) }
}

const mapNames = <T>(named: Record<string, T>, nameOf: (name: string) => string): Record<string, T> =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [nameOf(name), value]))

function renameInFilter(filter: CellFilter, rename: Renaming) {
  const { predefined, columns, sort } = filter
  // The stages of the saved filter come first.
  const before: Pipeline = predefined === undefined ? [] : [{ kind: 'saved', id: predefined }]
  const stages = [...before, ...parsePipeline(filter.standard)]
  const { pipeline, columnOf, isClear } = renameField(stages, rename, rename.saved)
  return {
    columnOf,
    isClear,
    filter: {
      ...filter,
      // Writing a pipeline that was read from stages gives stages.
      standard: writePipeline(pipeline.slice(before.length)) as CellFilter['standard'],
      ...(columns && { columns: columns.map(columnOf) }),
      ...(sort && { sort: mapNames(sort, columnOf) }),
    },
  }
}
