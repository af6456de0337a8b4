import { readHolder } from '#access'
import type { LinkGrant } from '#platform/storage.ts'

/**
 * The party whose uses of a link count together: the person, with any sign-in; else the identity or the impersonation
 * link. Links of releases without grants count alone.
 */
export function partyOf({ key, grant }: { key: string; grant: LinkGrant | undefined }): string {
  if (!grant) return key
  const holder = readHolder(grant.holder)
  if (holder.kind === 'impersonation') return `impersonation ${holder.link}`
  if (holder.kind === 'session') return `person ${holder.person}`
  return holder.person === null ? `identity ${holder.identity}` : `person ${holder.person}`
}
