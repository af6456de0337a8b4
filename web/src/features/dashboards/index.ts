export { DashboardsPage } from './dashboards-page.tsx'
export { SharedDashboardsPage } from './shared-dashboards-page.tsx'
