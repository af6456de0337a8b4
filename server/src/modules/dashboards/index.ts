/** Dashboards: cells that ask about contacts, shared across accounts, with their versions. The API for other modules. */
export { seedDashboards } from './dashboards.service.ts'
export { dashboardRoutes } from './dashboards.routes.ts'
