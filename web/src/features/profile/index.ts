export { GivePasswordDialog } from './give-password-dialog.tsx'
export { OwedTwoFactorDialog } from './owed-two-factor-dialog.tsx'
export { ProfilePage } from './profile-page.tsx'
export { TwoFactorSetUpDialog } from './two-factor-set-up-dialog.tsx'
