import type { CellAnswer, CellQuestion } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import { chartOf } from '@portico/contract/dashboards/dashboard-cells'
import { rangesShown } from '@portico/contract/dashboards/narrowing'
import type { Saver } from '#credentials'
import { AppError } from '#platform/app-error.ts'
import { ruleOf } from '#platform/storage.ts'
import { UsedFilters } from '#saved-filters'
import { cellFailed, offersCalls, offersRequests, requireReadable } from './cell-access.ts'
import { type Asked, type Asking, stagesOf, surroundingsOf } from './cell-plan.ts'
import { type Cells, readOnce, readRemembered } from './cell-reading.ts'
import { fieldsOf, givenTo, toCellError } from './cell-shape.ts'
import { requireChosenRanges, requireDateField, requireWindow } from './chosen-ranges.ts'
import { type ReadShown, requireShown } from './shown-groups.ts'

/** A stored dashboard, and the holder whose rights its cells are read with. */
export type StoredDashboard = { definition: Definition; version: number; saver: Saver }

/**
 * Reads a cell of a stored dashboard, narrowed by the viewer's choices in other cells. The request can only choose
 * among what the definition shows.
 * @throws not_found, newer_version, cell_failed saying why the cell cannot be shown, timed_out, invalid_input
 */
export async function answerCell(
  cells: Cells,
  asking: Asking,
  dashboard: StoredDashboard,
  question: CellQuestion & { cell: string },
): Promise<CellAnswer> {
  const { definition, version, saver } = dashboard
  if (question.version !== version) throw new AppError('newer_version')
  const chart = chartOf(definition, question.cell)
  if (!chart) throw new AppError('not_found')
  const { clicks, choices, ranges } = question
  const around = await surroundingsOf(asking, definition, { clicks, choices, ranges })
  requireChosenRanges(around)
  return answer(cells, asking, { chart, target: question.cell, around, saver, part: question })
}

/**
 * The only way to the rows of a cell: determines its stages, the right it is read by, its rows, and the part of them
 * that the viewer gets.
 * @throws cell_failed, timed_out, invalid_input
 */
export async function answer(cells: Cells, asking: Asking, asked: Asked): Promise<CellAnswer> {
  const { chart, target, around, saver } = asked
  requireDateField(chart, around.fields)
  try {
    const used = new UsedFilters()
    const stages = await stagesOf(asking, asked, used)
    const requests = offersRequests(chart, stages, asked.part.sort)
    const use = { saver, used, forOthers: asked.further !== undefined }
    const { right, rows: visible } = await requireReadable(cells.database, asking, use, requests)
    const searches = offersCalls(chart, stages, asked.part.sort)
    asked.onRead?.({ searches, saver: saver?.holder ?? null, ...ruleOf(visible) })
    // Viewers who may read these contacts themselves could ask for any group of them anyway.
    if (right === 'of author') {
      requireNothingFurther(asked)
      requireWindow(around)
      await requireShown(target, around, readShown(cells, asking, asked))
    }
    const fields = fieldsOf(chart, stages.filter, around.fields)
    if (asked.further) {
      const rows = await readOnce(cells, asking, asked, { stages, visible })
      return { ...rows, fields, asOf: new Date().toISOString() }
    }
    const { value, at } = await readRemembered(cells, asking, asked, { stages, visible })
    const dates = rangesShown(target, around).map(({ field, days }) => ({ field, ...days }))
    const shown = givenTo(asking.caller, stages.filter, value)
    return { ...shown, fields, ...(dates.length > 0 && { dates }), asOf: at.toISOString() }
  } catch (error) {
    throw toCellError(error)
  }
}

/**
 * The author of a report may not choose among contacts that they read by the right of the dashboard's author.
 * @throws cell_failed
 */
function requireNothingFurther({ further = [] }: Asked): void {
  if (further.length === 0) return
  throw cellFailed('Only those who may search for all that it shows can narrow it by a saved filter.')
}

/** Reads other cells of the dashboard as the viewer sees them, to check choices made in them. */
function readShown(cells: Cells, asking: Asking, { around, saver }: Asked): ReadShown {
  return async (cell, interaction, among) => {
    const chart = chartOf(around.definition, cell)
    if (!chart) return nothingShown
    const whole = { search: '', sort: {}, skip: 0, refresh: false }
    const part = among ? { ...whole, among: among.values, limit: among.values.length + 1 } : whole
    try {
      const used = new UsedFilters()
      const stages = await stagesOf(asking, { chart, target: cell, around: { ...around, interaction } }, used)
      const requests = offersRequests(chart, stages)
      const use = { saver, used, forOthers: false }
      const { rows: visible } = await requireReadable(cells.database, asking, use, requests)
      const listsAll = stages.filter.at(-1)?.kind === 'group'
      const read = among && listsAll ? { ...stages, filter: among.narrowed(stages.filter) } : stages
      const { rows, total } = (await readRemembered(cells, asking, { chart, part }, { stages: read, visible })).value
      return { rows, isWhole: listsAll && rows.length === total }
    } catch (error) {
      // A cell that cannot be shown shows no groups.
      if (error instanceof AppError && ['cell_failed', 'invalid_filter'].includes(error.code)) return nothingShown
      throw error
    }
  }
}

const nothingShown = { rows: [], isWhole: false }
