/** The API credentials of an identity, in a dialog: for administrators and for the identity's owner. */
export type { ChangeCredential } from './change-credential.ts'
export { CredentialsDialog } from './credentials-dialog.tsx'
