import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { type Acting, actingIdentity, actingPerson, readHolder } from '#access'
import { isCredentialAlive } from './credential-access.queries.ts'
import { actingLink } from './impersonation-authentication.service.ts'

const credentialEnded = 'The API credential behind it no longer works.'

/**
 * A caller with the current rights of the holder that something was stored with, or the reason why it has none.
 * Everything that is stored now and acts later uses this: cells, crons, saved filters, exports, links to files.
 * @param address of the person asking for it now, by which days, hours and networks are judged; null judges none of
 * them
 */
export async function actingHolder(
  pool: pg.Pool,
  account: AccountId,
  text: string,
  address: string | null = null,
): Promise<Acting> {
  const holder = readHolder(text)
  if (holder.kind === 'session') return actingPerson(pool, account, holder.person)
  if (holder.kind === 'impersonation') return actingLink(pool, account, holder.link)
  if (holder.kind === 'identity' || holder.credential === null) {
    return actingIdentity(pool, account, holder, address)
  }
  const isAlive = await isCredentialAlive(pool, holder.identity, holder.credential, new Date())
  if (!isAlive) return { refusal: credentialEnded, because: 'credential' }
  return actingIdentity(pool, account, holder, address)
}
