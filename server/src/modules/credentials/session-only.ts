import { AppError } from '#platform/app-error.ts'
import type { Caller } from '#platform/http/context.ts'

/**
 * Makes sure that a secret is made by a person in a session of their own, never by another secret: an API credential or an
 * impersonation link that leaks must not outlive itself.
 * @throws not_allowed
 */
export function requireSession({ kind }: Pick<Caller, 'kind'>, what: string): void {
  if (kind === 'session') return
  throw new AppError(
    'not_allowed',
    undefined,
    `API credentials and impersonation links cannot ${what}. Sign in with your password to do this.`,
  )
}
