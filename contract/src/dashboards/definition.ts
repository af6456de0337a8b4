import { parseJson } from '../json-values.ts'
import { z } from 'zod'
import { checkInput } from '../check-input.ts'
import { messages } from '../messages.ts'
import { judgedValue, ReadText, readBy } from '../read-text.ts'
import { CellChart, chartMessages } from './cell-chart.ts'
import { type CellProblem, chartProblems } from './cell-problems.ts'
import { dashboardLimits } from './dashboard-limits.ts'

/** A cell of a stored definition. One without a chart is empty. */
export const DashboardCell = z.strictObject({
  /** Created by the server, and kept. Empty until then. */
  id: z.string(),
  cols: z.number().int().min(dashboardLimits.cellWidth.least).max(dashboardLimits.cellWidth.most),
  chart: CellChart.optional(),
})
export type DashboardCell = z.output<typeof DashboardCell>

/** Rows of cells, as a dashboard shows them. It holds questions, never answers. */
export type Definition = { layout: DashboardCell[][]; originalFiltersSaved: false; resetFilters: false }

/** The definition of a new dashboard (specification 4 §4): one empty cell of full width. */
export const newDefinition = (): Definition => ({
  layout: [[{ id: '', cols: dashboardLimits.cellWidth.most }]],
  originalFiltersSaved: false,
  resetFilters: false,
})

/** A problem of a definition. Rows and cells are counted from 1; null if it does not concern a single cell. */
export type DefinitionProblem = { row: number | null; cell: number | null; key: string; message: string }

/** The problem in one line: "Row 2, cell 1, filter: Filter should have GroupBy!". */
export function problemText({ row, cell, key, message }: DefinitionProblem): string {
  const place = [row !== null && `row ${row}`, cell !== null && `cell ${cell}`, key !== '' && key]
    .filter((part) => part !== false)
    .join(', ')
  return place === '' ? message : `${place[0]?.toUpperCase()}${place.slice(1)}: ${message}`
}

/** Cells as older clients send them: with data, which is not stored, and with the filters before an interaction. */
const SentCell = z.looseObject({
  id: z.unknown().optional(),
  cols: z.union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,2}$/)
      .transform(Number),
  ]),
  chart: z.unknown().optional(),
  originalFilter: z.unknown().optional(),
  originalFilter2: z.unknown().optional(),
})

const SentDefinition = z.looseObject({
  layout: z.array(z.array(z.unknown())),
  originalFiltersSaved: z.boolean().optional(),
})

/** Characters of a cell's id that the server makes. */
export const cellIdLength = 8

const isCellId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{1,40}$/.test(id)

/** A definition after reading, or why it cannot be stored. Ids that are missing, malformed or repeated are empty. */
export type ReadDefinition =
  | { definition: Definition; problems: [] }
  | { definition: null; problems: DefinitionProblem[] }

/**
 * Reads the JSON text of a definition, and checks it for both the API and the editor. Data of charts is dropped;
 * filters that an older client has set aside during an interaction are restored (`originalFiltersSaved`).
 */
export function readDefinition(text: string): ReadDefinition {
  const whole = (key: string, message: string): ReadDefinition => ({
    definition: null,
    problems: [{ row: null, cell: null, key, message }],
  })
  let sent: unknown
  try {
    sent = parseJson(text)
  } catch (error) {
    return whole('definition', error instanceof Error ? error.message : chartMessages.invalid)
  }
  const read = checkInput(SentDefinition, sent)
  if (!read.success) return whole('layout', 'Enter a list of rows, each a list of cells.')
  const { layout, originalFiltersSaved = false } = read.data
  const count = layout.reduce((sum, cells) => sum + cells.length, 0)
  if (count > dashboardLimits.cells) {
    return whole('layout', `A dashboard has at most ${dashboardLimits.cells} cells; this one has ${count}.`)
  }
  const problems: DefinitionProblem[] = []
  const rows = layout.map((cells, row) =>
    cells.flatMap((sentCell, at) => {
      const cell = readCell(sentCell, originalFiltersSaved)
      if ('problems' in cell) {
        problems.push(...cell.problems.map((problem) => ({ row: row + 1, cell: at + 1, ...problem })))
        return []
      }
      return [cell]
    }),
  )
  if (problems.length > 0) return { definition: null, problems }
  const definition: Definition = { layout: withIdsOnce(rows), originalFiltersSaved: false, resetFilters: false }
  const unnamed = definition.layout.flat().filter(({ id }) => id === '').length
  const size = bytesOf(JSON.stringify(definition)) + unnamed * cellIdLength
  if (size > dashboardLimits.bytes) {
    return whole(
      'definition',
      `A dashboard takes at most ${dashboardLimits.bytes / 1000} kB; this one takes ${Math.ceil(size / 1000)} kB. Keep a long list of values in a saved filter.`,
    )
  }
  return { definition, problems: [] }
}

/**
 * The JSON text of a definition. Only the parts that can be stored are left when it is checked against conditions; a
 * text that cannot be stored is refused when it is saved, with the row, cell and key of each problem.
 */
export const DefinitionText = readBy(
  z
    .string()
    .min(1, messages.required)
    .transform((text) => {
      const { definition } = readDefinition(text)
      return definition ? JSON.stringify(definition) : text
    }),
  (text) => {
    const { definition } = readDefinition(text)
    return definition ? ReadText.json(judgedValue(z.object({ layout: Layout }), definition), text) : text
  },
)
const Layout = z.array(z.array(DashboardCell))

/** The first cell with an id keeps it. */
function withIdsOnce(rows: DashboardCell[][]): DashboardCell[][] {
  const seen = new Set<string>()
  return rows.map((cells) =>
    cells.map((cell) => {
      const isRepeated = seen.has(cell.id)
      seen.add(cell.id)
      return isRepeated ? { ...cell, id: '' } : cell
    }),
  )
}

/** Returns the size in UTF-8. */
function bytesOf(text: string): number {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%[0-9A-F]{2}/g, '_').length
}

function readCell(sent: unknown, areOriginalsSaved: boolean): DashboardCell | { problems: CellProblem[] } {
  const read = checkInput(SentCell, sent)
  if (!read.success) return { problems: problemsOf(read.error) }
  const { id, cols, chart, originalFilter, originalFilter2 } = read.data
  const own = areOriginalsSaved ? withFilters(chart, originalFilter, originalFilter2) : chart
  const cell = checkInput(DashboardCell, {
    id: isCellId(id) ? id : '',
    cols,
    ...(own !== undefined && own !== null && { chart: own }),
  })
  if (!cell.success) return { problems: problemsOf(cell.error) }
  const problems = cell.data.chart ? chartProblems(cell.data.chart) : []
  return problems.length > 0 ? { problems } : cell.data
}

const problemsOf = (error: z.ZodError): CellProblem[] =>
  error.issues.map(({ path, message }) => ({ key: path.filter((part) => part !== 'chart').join('.'), message }))

function withFilters(chart: unknown, filter: unknown, filter2: unknown): unknown {
  if (typeof chart !== 'object' || chart === null) return chart
  return {
    ...chart,
    ...(filter !== undefined && filter !== null && { filter }),
    ...(filter2 !== undefined && filter2 !== null && { filter2 }),
  }
}
