/** Dashboards: cells that ask contacts, shared across accounts, with versions. Owns their tables. The API for other modules. */
export { dashboardRoutes } from './dashboards.routes.ts'
