import type { FieldType } from '@portico/contract/contacts'
import type { CellFilter } from '@portico/contract/dashboards/cell-chart'
import { readDefinition } from '@portico/contract/dashboards/definition'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { expect, test } from 'vitest'
import { demoDashboards } from './server/src/modules/demo/dashboards/demo-dashboards.ts'
import { harbor } from './server/src/modules/demo/harbor.ts'
import { northwind } from './server/src/modules/demo/northwind.ts'
import { readFilter } from './web/src/domain/filters/stages/filter-of.ts'
import { readFigure } from './web/src/features/dashboards/configuration/kpi-figure.ts'

// The server writes the cells of the demo, and the browser's builder opens them.

const types: Record<string, FieldType> = {
  'Lead Score': 'number',
  'Lifetime Value': 'number',
  'Lifetime Giving': 'number',
  'Opted In': 'boolean',
  'Last Purchase': 'day',
  'Last Gift': 'day',
}
const names = ['First Name', 'Last Name', 'Email', 'City', 'State', 'Country', 'Segment', ...Object.keys(types)]
const fields = names.map((name) => ({ name, type: types[name] ?? 'string', isIndexed: true }) as const)

const cells = [...northwind, ...harbor].flatMap((account) =>
  demoDashboards(account).flatMap(({ name, definition }) => {
    const read = readDefinition(definition)
    if (!read.definition) throw new Error(`${account.name}, ${name}: ${JSON.stringify(read.problems)}`)
    return read.definition.layout.flat().flatMap(({ chart }) => (chart ? [{ account: account.name, name, chart }] : []))
  }),
)

const problemOf = (filter: CellFilter, isTile: boolean): string | null =>
  readFilter(parsePipeline(isTile ? readFigure(filter.standard).which : filter.standard), fields).advanced?.problem ??
  null

test('each cell of the demo can be changed in the builder', () => {
  const problems = cells.flatMap(({ account, name, chart }) =>
    [chart.filter, chart.filter2]
      .flatMap((filter) => (filter ? [problemOf(filter, chart.type === 'KPI')] : []))
      .flatMap((problem) => (problem === null ? [] : [`${account}, ${name}, ${chart.title}: ${problem}`])),
  )
  expect(problems).toEqual([])
  expect(cells.length).toBeGreaterThan(60)
})
