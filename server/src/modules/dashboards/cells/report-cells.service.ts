import type { CellAnswer } from '@portico/contract/dashboards'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { chartOf } from '@portico/contract/dashboards/dashboard-cells'
import type { Stages } from '@portico/contract/filter'
import type { OffsetWindow } from '@portico/domain/scheduler/window-condition'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import { UsedFilters } from '#saved-filters'
import { offersRequests, requireReadable } from './cell-access.ts'
import { type Asked, type Asking, stagesOf, surroundingsOf } from './cell-plan.ts'
import type { Cells } from './cell-reading.ts'
import { answer, type StoredDashboard } from './cells.service.ts'

/**
 * How a report narrows each cell: like a date picker of the dashboard, and by further stages that choose contacts and
 * can name saved filters.
 */
export type ReportNarrowing = { window: OffsetWindow | null; stages: Stages }

/**
 * Reads a page of a cell's rows for a report: as `answerCell` does when the window is chosen in all date pickers, or in
 * one for event dates if the dashboard has none. Nothing is remembered.
 * @throws cell_failed, timed_out
 */
export async function answerForReport(
  cells: Cells,
  asking: Asking,
  dashboard: ReportedDashboard,
  { target, narrowing, onRead, ...page }: ReportedCell & { onRead?: Asked['onRead'] } & ReportPage,
): Promise<CellAnswer> {
  const part = { search: '', sort: {}, refresh: true, ...page }
  const asked = await askedForReport(asking, dashboard, { target, narrowing })
  return answer(cells, asking, { ...asked, part, ...(onRead && { onRead }) })
}

/**
 * Why a report may not read a cell, judged by the same rights as in `answerForReport`, in words for users; null if it
 * may. A cell that cannot be read for another reason fails when it is read.
 */
export async function reportRefusal(
  database: Pick<Database, 'db' | 'pool'>,
  asking: Omit<Asking, 'signal'>,
  dashboard: ReportedDashboard,
  cell: ReportedCell,
): Promise<string | null> {
  try {
    const asked = await askedForReport(asking, dashboard, cell)
    const used = new UsedFilters()
    const requests = offersRequests(asked.chart, await stagesOf(asking, asked, used))
    return await rightRefusal(() =>
      requireReadable(database, asking, { saver: asked.saver, used, forOthers: true }, requests),
    )
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}

async function rightRefusal(require: () => Promise<unknown>): Promise<string | null> {
  try {
    await require()
    return null
  } catch (error) {
    if (error instanceof AppError && error.code === 'cell_failed') return error.message
    throw error
  }
}

/** The dashboard of a report, and one of its cells. */
type ReportedDashboard = Pick<StoredDashboard, 'definition' | 'saver'>
type ReportedCell = { target: string; narrowing: ReportNarrowing }
type ReportPage = { skip: number; limit: number; groups: number }

async function askedForReport(
  asking: Pick<Asking, 'db' | 'account' | 'caller'>,
  { definition, saver }: ReportedDashboard,
  { target, narrowing }: ReportedCell,
) {
  const around = await surroundingsOf(asking, definition, noInteraction, narrowing.window ?? undefined)
  const chart = chartOf(definition, target)
  if (!chart) throw new AppError('not_found')
  return { chart, target, around, saver, further: narrowing.stages }
}
