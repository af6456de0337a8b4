import { readHolder } from '#access'
import type { LinkGrant } from '#platform/storage.ts'

/**
 * Whose use of a link counts together: that of the person, whatever they signed in with; else of the identity or the
 * impersonation link. Links of releases without grants count alone.
 */
export function partyOf({ key, grant }: { key: string; grant: LinkGrant | undefined }): string {
  if (!grant) return key
  const holder = readHolder(grant.holder)
  if (holder.kind === 'impersonation') return `impersonation ${holder.link}`
  if (holder.kind === 'session') return `person ${holder.person}`
  return holder.person === null ? `identity ${holder.identity}` : `person ${holder.person}`
}
