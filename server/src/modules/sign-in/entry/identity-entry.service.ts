import type { AccountId } from '@portico/contract/accounts'
import { identityRefusal, lacksFactorIn } from '#access'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { selectSession } from '../sessions/session-access.queries.ts'
import { selectShowsPasskey } from '../sessions/sessions.queries.ts'

/**
 * Requires everything a session needs to enter the accounts that an identity opens, for calls that let programs in
 * there without a session (ADR 0115). Each of these accounts may require two-factor. If the identity is the caller's
 * own, the session must not have been signed out of it, and it must count at this moment and from this address.
 * @throws two_factor_needed, not_allowed
 */
export async function requireEntry(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  { personId, sessionId }: Pick<Caller, 'personId' | 'sessionId'>,
  { id, account, isOwn }: { id: string; account: AccountId | null; isOwn: boolean },
  address: string,
): Promise<void> {
  const isLacking = (await lacksFactorIn(db, personId, id)) && !(await selectShowsPasskey(db, sessionId))
  if (isLacking) throw new AppError('two_factor_needed')
  if (!isOwn) return
  const session = await selectSession(pool, sessionId, account)
  if (!session) throw new AppError('not_signed_in')
  const refusal = await identityRefusal(db, session, id, { address })
  if (!refusal) return
  // The session itself continues, so the error must not be one that ends it.
  const code = refusal.code === 'two_factor_needed' ? refusal.code : 'not_allowed'
  throw new AppError(code, undefined, `You cannot do this without entering the account. ${refusal.message}`)
}
