import type { dashboardsApi } from '@portico/contract/dashboards'
import type { RouteLine } from '#lib/api/api.ts'

type Api = typeof dashboardsApi

const path = '/contact-service/v1/dashboards'

/** The calls of viewers, as the contract has them. Importing its table would add the schema library. */
export const viewerRoutes: {
  list: RouteLine<Api['listDashboards']>
  get: RouteLine<Api['getDashboard']>
  cell: RouteLine<Api['answerCell']>
  preview: RouteLine<Api['previewCell']>
  takeOver: RouteLine<Api['takeOverDashboard']>
  favourite: RouteLine<Api['setFavouriteDashboard']>
} = {
  list: { method: 'GET', path },
  get: { method: 'GET', path: `${path}/:id` },
  cell: { method: 'POST', path: `${path}/:id/cells/:cell` },
  preview: { method: 'POST', path: `${path}/previews` },
  takeOver: { method: 'POST', path: `${path}/:id/author` },
  favourite: { method: 'PUT', path: `${path}/:id/favourite` },
}
