export { ConfirmSenderPage } from './confirm-sender-page.tsx'
export { PreferencesPage } from './preferences-page.tsx'
