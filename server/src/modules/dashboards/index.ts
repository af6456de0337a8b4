/**
 * Dashboards: cells that ask about contacts, shared across accounts, with their versions. The API for other modules.
 */
export { type Cells, openCells } from './cells/cell-reading.ts'
export { answerForReport, type ReportNarrowing, reportRefusal } from './cells/report-cells.service.ts'
export { readStoredDashboard } from './cells/stored-dashboards.ts'
export { seedDashboards } from './dashboards.service.ts'
export { ownedDashboards } from './handing-over.service.ts'
export { dashboardRegistration } from './registration.ts'
export { dashboardRoutes } from './dashboards.routes.ts'
export { requireDashboard } from './found-dashboard.ts'
export { storedDefinition } from './saving.service.ts'
export { firstDashboardOf } from './dashboards.queries.ts'
