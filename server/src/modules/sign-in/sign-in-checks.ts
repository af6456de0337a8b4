import type { SignInChecks } from '#credentials'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { enqueueSecurityEmail } from './emails/security-emails.service.ts'
import { requireEntry } from './entry/identity-entry.service.ts'
import { requireConfirmedPassword } from './passwords/password-confirmation.service.ts'

/**
 * The part of sign-in needed by calls about API credentials and impersonation links, which belong to an earlier module.
 */
export function createSignInChecks(jobs: Jobs): SignInChecks {
  return {
    requireConfirmedPassword,
    requireEntry,
    tellOwner: (tx, personId, notice, from) => enqueueSecurityEmail(tx, jobs, { personId, notice, from }),
  }
}
