import { dashboardsApi } from '@portico/contract/dashboards'
import type { FastifyInstance } from 'fastify'
import { serveStored } from '#platform/http/serving-stored.ts'
import { serve } from '#platform/http/serving.ts'
import type { Cells } from './cells/cell-reading.ts'
import { answerCell } from './cells/cells.service.ts'
import { previewCell } from './cells/preview.service.ts'
import { readStoredDashboard } from './cells/stored-dashboards.ts'
import {
  createDashboard,
  deleteDashboard,
  getDashboard,
  listDashboards,
  setFavourite,
  takeOverDashboard,
  updateDashboard,
} from './dashboards.service.ts'
import { findDashboardSave } from './stored-save.ts'
import { getVersion, listVersions, restoreVersion } from './versions.service.ts'

export function dashboardRoutes(app: FastifyInstance, cells: Cells): void {
  serve(app, dashboardsApi.listDashboards, ({ db, ...viewer }, query) => listDashboards(db, viewer, query))
  serve(app, dashboardsApi.getDashboard, ({ db, ...viewer }, { id }) => getDashboard(db, viewer, id))
  serve(app, dashboardsApi.createDashboard, ({ db, ...viewer }, { body }) => createDashboard(db, viewer, body))
  serve(app, dashboardsApi.updateDashboard, ({ db, ...viewer }, { id, body }) => updateDashboard(db, viewer, id, body))
  serve(app, dashboardsApi.deleteDashboard, async ({ db, ...viewer }, { id }) => {
    await deleteDashboard(db, viewer, id)
    return null
  })
  serveStored(
    app,
    dashboardsApi.takeOverDashboard,
    ({ db, ...viewer }, { id }) => findDashboardSave(db, viewer, id),
    ({ db, ...viewer }, { id }) => takeOverDashboard(db, viewer, id),
  )
  serve(app, dashboardsApi.setFavouriteDashboard, ({ db, ...viewer }, { id, body }) =>
    setFavourite(db, viewer, id, body.isFavourite),
  )
  serve(app, dashboardsApi.listDashboardVersions, ({ db, ...viewer }, { id }) => listVersions(db, viewer, id))
  serve(app, dashboardsApi.getDashboardVersion, ({ db, ...viewer }, { id, version }) =>
    getVersion(db, viewer, id, version),
  )
  serveStored(
    app,
    dashboardsApi.restoreDashboardVersion,
    ({ db, ...viewer }, { id, version }) => findDashboardSave(db, viewer, id, version),
    ({ db, ...viewer }, { id, version, body }) => restoreVersion(db, viewer, id, version, body.version),
  )
  serve(app, dashboardsApi.answerCell, async (context, { id, cell, body }) => {
    const stored = await readStoredDashboard(cells, context, id)
    return answerCell(cells, context, stored, { ...body, cell })
  })
  serve(app, dashboardsApi.previewCell, (context, { body }) => previewCell(cells, context, body))
}
