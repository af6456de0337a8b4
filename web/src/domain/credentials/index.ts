/** The API credentials of an identity, in a dialog: for administrators, and for their owner. */
export { type ChangeCredential, CredentialsDialog } from './credentials-dialog.tsx'
