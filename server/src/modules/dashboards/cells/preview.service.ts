import { type CellAnswer, type CellPreview, dashboardsApi } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { requireWithSaved } from '#saved-filters'
import { type Asking, surroundingsOf } from './cell-plan.ts'
import type { Cells } from './cell-reading.ts'
import { answer } from './cells.service.ts'

/** Reads a cell that the caller is editing, as it would be shown before anything is chosen. */
export async function previewCell(cells: Cells, asking: Asking, preview: CellPreview): Promise<CellAnswer> {
  const target = 'preview'
  await requireWithSaved(asking.db, asking, dashboardsApi.previewCell, { params: [], query: {}, body: preview })
  const definition: Definition = {
    layout: [[{ id: target, cols: 12, chart: preview.chart }]],
    originalFiltersSaved: false,
    resetFilters: false,
  }
  const around = await surroundingsOf(asking, definition, noInteraction)
  return answer(cells, asking, {
    chart: preview.chart,
    target,
    around,
    saver: null,
    part: { ...preview, refresh: false },
  })
}
