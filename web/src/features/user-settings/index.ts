export { UserSettingsPage } from './user-settings-page.tsx'
