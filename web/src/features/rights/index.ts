export { RightHoldersPage } from './right-holders-page.tsx'
