import type { ViaKind } from '@portico/contract/audit'

/** How an action was done, as the screen shows it. */
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
