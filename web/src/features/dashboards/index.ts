export { DashboardsPage } from './dashboards-page.tsx'
