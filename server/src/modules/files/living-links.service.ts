import { actingIdentity, actingPerson } from '#access'
import { selectAccountDetails } from '#accounts'
import { actingLink } from '#credentials'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { LinkGrant } from '#platform/storage.ts'
import type { SignedLinks } from './signed-links.ts'

type Opened = ReturnType<SignedLinks['open']>

/** Signed links that work only as long as the account does and their creator has the right. */
export type LivingLinks = {
  /** @throws link_invalid for a link that `SignedLinks` refuses, or that has lost its account or its creator's right */
  open: (...link: Parameters<SignedLinks['open']>) => Promise<Opened>
}

export function livingLinks(links: SignedLinks, database: Database): LivingLinks {
  return {
    async open(method, params, query) {
      const link = links.open(method, params, query)
      if (!(await isAlive(database, link))) throw new AppError('link_invalid')
      return link
    },
  }
}

async function isAlive(database: Database, { key, grant }: Opened): Promise<boolean> {
  const [owner = ''] = key.split('/')
  if (!grant) return owner === 'portal' || isOpen(database, Number(owner))
  return (owner === 'portal' || Number(owner) === grant.account) && isGranted(database, grant)
}

/** Whether the creator of a link has the right that it depends on. */
export async function isGranted(database: Database, grant: LinkGrant): Promise<boolean> {
  if (grant.request === null && !(await isOpen(database, grant.account))) return false
  const caller = await holderOf(database, grant)
  return caller !== null && caller.refusal(grant.access, grant.request) === null
}

/** Whether the account exists and is not suspended. */
async function isOpen({ db }: Database, account: number): Promise<boolean> {
  const [details] = await selectAccountDetails(db, account)
  return details?.suspendedAt === null
}

/** The creator of a link as a caller with their present rights; null once they may not work in the account. */
async function holderOf({ pool }: Database, { holder, account }: LinkGrant): Promise<Caller | null> {
  // Links of earlier releases name no person besides the identity.
  const [kind, id = '', person = null] = holder.split(' ')
  const found =
    kind === 'session'
      ? await actingPerson(pool, account, id)
      : kind === 'credential'
        ? await actingIdentity(pool, account, id)
        : await actingLink(pool, account, id)
  if (!('caller' in found)) return null
  return person === null || person === found.caller.personId ? found.caller : null
}
