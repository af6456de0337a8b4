export { ProfilePage } from './profile-page.tsx'
export { TwoFactorSetUpDialog } from './two-factor-set-up-dialog.tsx'
