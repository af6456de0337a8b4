import type { ViaKind } from '@portico/contract/audit'

/** Names of the means of an action, as the screen shows them. */
export const viaNames: Record<ViaKind, string> = {
  session: 'Session',
  credential: 'API credential',
  impersonation: 'Impersonation link',
  'sign-in': 'Sign-in page',
  'email-link': 'Link in an email',
  cron: 'Cron',
  portal: 'The portal',
  'command-line': 'Command line',
}
