import { dashboardsApi } from '@portico/contract/dashboards'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { answerCell, openCells, previewCell } from './cells/cells.service.ts'
import {
  deleteDashboard,
  getDashboard,
  listDashboards,
  markFavourite,
  requireSeen,
  takeOver,
} from './dashboards.service.ts'
import { changeDashboard, createDashboard, definitionOf, restoreVersion } from './saves.service.ts'
import { getVersion, listVersions } from './versions.service.ts'

export function dashboardRoutes(app: FastifyInstance, { database }: Pick<Services, 'database'>): void {
  serve(app, dashboardsApi.listDashboards, listDashboards)
  serve(app, dashboardsApi.getDashboard, (context, { id }) => getDashboard(context, id))
  serve(app, dashboardsApi.createDashboard, (context, { body }) => createDashboard(context, body))
  serve(app, dashboardsApi.updateDashboard, (context, { id, body }) => changeDashboard(context, id, body))
  serve(app, dashboardsApi.deleteDashboard, async (context, { id }) => {
    await deleteDashboard(context, id)
    return null
  })
  serve(app, dashboardsApi.takeOverDashboard, (context, { id }) => takeOver(context, id))
  serve(app, dashboardsApi.setFavouriteDashboard, (context, { id, body }) =>
    markFavourite(context, id, body.isFavourite),
  )
  serve(app, dashboardsApi.listDashboardVersions, (context, { id }) => listVersions(context, id))
  serve(app, dashboardsApi.getDashboardVersion, (context, { id, version }) => getVersion(context, id, version))
  serve(app, dashboardsApi.restoreDashboardVersion, (context, { id, version }) => restoreVersion(context, id, version))
  const cells = openCells(database)
  serve(app, dashboardsApi.answerCell, async (context, { id, cell, body }) => {
    const row = await requireSeen(context, id)
    const stored = { definition: definitionOf(row), version: row.version, savedBy: row.saved_by }
    return answerCell(cells, context, stored, { ...body, cell })
  })
  serve(app, dashboardsApi.previewCell, (context, { body }) => previewCell(cells, context, body))
}
