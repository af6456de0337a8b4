import { isAccountOpen } from '#accounts'
import { grantRefusal } from '#credentials'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { LinkGrant } from '#platform/storage.ts'
import type { SignedLinks } from './signed-links.ts'

type Opened = ReturnType<SignedLinks['open']>

/** Signed links that work only while the account is active and their creator has the right. */
export type LivingLinks = {
  /**
   * @throws link_invalid for a link that `SignedLinks` refuses, whose account is no longer active, or whose creator has
   * lost the right
   */
  open: (...link: Parameters<SignedLinks['open']>) => Promise<Opened>
  /** Checks a link during a long transfer, which may outlive the time allowed to open the link. @throws link_invalid */
  requireAlive: (link: Opened) => Promise<void>
}

/**
 * Returns why a link in a delivery no longer works, by checking again the requests that made its file, which the
 * delivery stores. Null while it works.
 */
export type DeliveredRefusal = (database: Database, key: string, grant: LinkGrant) => Promise<string | null>

export function livingLinks(links: SignedLinks, database: Database, deliveredRefusal: DeliveredRefusal): LivingLinks {
  async function requireAlive(link: Opened): Promise<void> {
    if (!(await isAlive(database, link, deliveredRefusal))) throw new AppError('link_invalid')
  }
  return {
    async open(method, params, query) {
      const link = links.open(method, params, query)
      await requireAlive(link)
      return link
    },
    requireAlive,
  }
}

async function isAlive(
  database: Database,
  { key, grant }: Opened,
  deliveredRefusal: DeliveredRefusal,
): Promise<boolean> {
  const [owner = ''] = key.split('/')
  if (!grant) return owner === 'portal' || isAccountOpen(database.db, Number(owner))
  if (owner !== 'portal' && Number(owner) !== grant.account) return false
  // Only links in deliveries have no request.
  const refusal = await (grant.request === null
    ? deliveredRefusal(database, key, grant)
    : grantRefusal(database, grant))
  return refusal === null
}
