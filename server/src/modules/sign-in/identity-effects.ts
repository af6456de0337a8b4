import type { IdentityEffects } from '#access'
import { deleteCredentials, listCredentials, listCredentialsOf, listLinksOf, revokeLinksOf } from '#credentials'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { enqueueInvitation } from './person-links/person-links.service.ts'
import { listSessionsOf } from './sessions/own-sessions.service.ts'
import { countSessionsIn, endSessionsOf } from './sessions/sessions.service.ts'

/**
 * The effects of a change of an identity on invitations, sessions, API credentials and impersonation links, which
 * belong to later modules.
 */
export function createIdentityEffects(
  jobs: Jobs,
  { checkRowRule }: Pick<IdentityEffects, 'checkRowRule'>,
): IdentityEffects {
  return {
    invite: (tx, invitation) => enqueueInvitation(tx, jobs, invitation),
    endSessions: endSessionsOf,
    countSessions: countSessionsIn,
    revokeLinks: revokeLinksOf,
    deleteCredentials,
    listCredentials,
    listCredentialsOf,
    listSessions: listSessionsOf,
    listLinks: listLinksOf,
    checkRowRule,
  }
}
