export { GroupsPage } from './groups-page.tsx'
