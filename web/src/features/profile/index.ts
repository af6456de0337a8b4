export { GivePasswordDialog } from './confirm-password-dialog.tsx'
export { RequiredTwoFactorDialog } from './required-two-factor-dialog.tsx'
export { ProfilePage } from './profile-page.tsx'
export { TwoFactorSetUpDialog } from './two-factor-set-up-dialog.tsx'
