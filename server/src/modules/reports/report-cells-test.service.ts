import type { ReportCell } from '@portico/contract/dashboards/reported-cells'
import type { CronTestResult, TestedCell, TestedInstruction } from '@portico/contract/scheduler/cron-tests'
import { dashboardIdOf } from '@portico/contract/scheduler/instructions'
import { answerForReport, type Cells, readStoredDashboard, type ReportNarrowing } from '#dashboards'
import type { CronTesting } from '#scheduler'
import { AppError, invalidField } from '#platform/app-error.ts'
import { namedFilter } from './named-filter.ts'
import { isPaged, mostGroups, tooManyGroups } from './report-file.service.ts'
import { visibleIn } from './report-rights.service.ts'
import { cellsToReport } from './report-tables.ts'

export type TestDeps = {
  cells: Cells
  /** The remaining tables and charts are not counted after this time. */
  mostSeconds?: number
}

type Tested = TestedInstruction['cells'] & Pick<ReportNarrowing, 'window'>

/** Short, as a person waits for the result; a report may take longer. */
const usualSeconds = 20

/**
 * Counts the rows that each table and chart of a report would have now, with the rights and the visible contacts of the
 * identity its cron acts as. A failing cell does not stop the others. Reads a single row of each.
 * @throws not_found, invalid_input for a saved filter that no longer exists
 */
export async function testCells(
  { cells, mostSeconds = usualSeconds }: TestDeps,
  { db, account, acting: caller, signal }: CronTesting,
  { url, rdl, cells: chosen, window }: Tested,
): Promise<CronTestResult> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(mostSeconds * 1000)])
  const rows = visibleIn(caller, dashboardIdOf(url) ?? '')
  const asking = { db, signal: stop, account, caller, rows, address: null }
  const viewer = { ...asking, actor: { actor: caller.email, address: null }, address: '' }
  const dashboard = await readStoredDashboard(cells, viewer, dashboardIdOf(url) ?? '')
  const stages = await namedFilter(db, account, rdl ?? null).catch((error: unknown) => {
    throw error instanceof AppError ? invalidField('instruction.rdl', error.message) : error
  })
  const reported = cellsOrProblem(() => cellsToReport(dashboard.definition, chosen))
  if ('problem' in reported) return { isOk: false, message: reported.problem, cells: [] }
  const count = async ({ id, chart }: ReportCell): Promise<number> => {
    const page = { target: id, narrowing: { window, stages }, skip: 0, limit: 1, groups: 1 }
    const { total } = await answerForReport(cells, asking, dashboard, page)
    if (!isPaged(chart) && total > mostGroups) throw tooManyGroups()
    return total
  }
  const tested: TestedCell[] = []
  for (const cell of reported.cells) tested.push(await testCell(cell, count, { stop, signal, mostSeconds }))
  return resultOf(tested, reported.note)
}

/** Turns the error for a dashboard without any chosen cell into a result, as a run reports it. */
function cellsOrProblem(read: () => ReturnType<typeof cellsToReport>) {
  try {
    return read()
  } catch (error) {
    if (error instanceof AppError && error.code === 'cell_failed') return { problem: error.message }
    throw error
  }
}

async function testCell(
  cell: ReportCell,
  count: (cell: ReportCell) => Promise<number>,
  { stop, signal, mostSeconds }: { stop: AbortSignal; signal: AbortSignal; mostSeconds: number },
): Promise<TestedCell> {
  const { id, title } = cell
  const failed = (error: string): TestedCell => ({ id, title, rows: null, error })
  const late = `The test ended after ${mostSeconds} s. A report takes the time that it needs.`
  if (stop.aborted && !signal.aborted) return failed(late)
  try {
    return { id, title, rows: await count(cell), error: null }
  } catch (error) {
    if (stop.aborted && !signal.aborted) return failed(late)
    if (error instanceof AppError && error.code !== 'unexpected') return failed(error.message)
    throw error
  }
}

function resultOf(tested: TestedCell[], note: string | null): CronTestResult {
  const failed = tested.filter(({ error }) => error !== null).length
  const rows = tested.reduce((sum, cell) => sum + (cell.rows ?? 0), 0)
  const all = `${tested.length.toLocaleString('en-US')} ${tested.length === 1 ? 'table or chart' : 'tables and charts'}`
  const outcome =
    failed > 0
      ? `${failed} of ${all} failed. A run that fails sends nothing.`
      : `A run now would have ${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'} from ${all}.`
  return { isOk: failed === 0, message: note === null ? outcome : `${outcome} ${note}`, cells: tested }
}
