import type { KeyRing } from '#platform/keys/key-ring.ts'
import type { PreferenceChecks } from '#accounts'
import { holdsEverything } from '#access'
import { createTokens } from '#credentials'
import { hasFactor } from './own-account/own-profile.service.ts'

/** The checks of a caller that account preferences need. */
export function createPreferenceChecks({ secretKey }: { secretKey: KeyRing }): PreferenceChecks {
  const tokens = createTokens(secretKey)
  return {
    async readSessionToken(token) {
      const claims = await tokens.read(token)
      if (claims === null || typeof claims !== 'object' || !('sid' in claims)) return null
      return { sessionId: claims.sid, account: claims.aid }
    },
    hasFactor,
    holdsEverything,
  }
}
