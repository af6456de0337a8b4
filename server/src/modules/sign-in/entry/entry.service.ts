import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import { isSameCaller } from '@portico/contract/email-address'
import { identitiesApi } from '@portico/contract/identities'
import type { Preferences } from '@portico/contract/preferences'
import type { User } from '@portico/contract/sign-in'
import {
  accountsOf,
  administers,
  holderOf,
  policyNamesOf,
  sessionClaims,
  toAccess,
  toUser,
  updateLastEntered,
} from '#access'
import { requireAccount } from '#accounts'
import { recordAudit, recordRepeated } from '#audit'
import { endOwnLink, enterByLink, type Tokens } from '#credentials'
import { selectPerson } from '#persons'
import { AppError } from '#platform/app-error.ts'
import { type Database, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { signInFacts } from '../sign-in-audit.ts'
import type { Origin } from '../sign-in-deps.ts'
import { selectSession } from '../sessions/session-access.queries.ts'
import { updateSessionAccounts } from '../sessions/sessions.queries.ts'
import { endSession, isSignedOutOf } from '../sessions/sessions.service.ts'

type Entry = { token: string; user: User; preferences: Preferences }

/**
 * Returns a token of the caller's session for one account; an impersonation link enters its own account only.
 * @throws not_found without access; signed_out_of_account; outside_limits at the wrong time, from the wrong address or
 * while the account is suspended; two_factor_needed
 */
export async function enterAccount(
  { db, pool }: Database,
  tokens: Tokens,
  caller: Caller,
  { account, from }: { account: AccountId; from: Origin },
): Promise<Entry> {
  const entry = await entryOf({ db, pool }, tokens, caller, { account, address: from.address })
  // Each tab enters the account again.
  await recordRepeated(db, { ...signInFacts(caller.email, from), account, action: 'account entered' })
  return entry
}

async function entryOf(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  tokens: Tokens,
  caller: Caller,
  { account, address }: { account: AccountId; address: string },
): Promise<Entry> {
  if (caller.kind === 'impersonation') return enterByLink(pool, tokens, caller, account)
  requireSignedIn(caller)
  const session = await selectSession(pool, caller.sessionId, account)
  const access = session && toAccess(session, { at: new Date(), address })
  const refusal = access?.refusal
  if (refusal && refusal.code !== 'not_signed_in') throw new AppError(refusal.code, undefined, refusal.message)
  if (!session || !access?.mayEnter) throw await notEntered({ pool }, caller, account)
  await inTransaction(db, async (tx) => {
    await updateSessionAccounts(tx, account, caller.sessionId)
    await updateLastEntered(tx, account, caller.personId, new Date())
  })
  const token = await tokens.sign(sessionClaims(access, caller.sessionId), session.expires_at)
  return { token, user: toUser(access), preferences: access.preferences }
}

/** Throws not_found for an account without access, but asks for another sign-in if the session was signed out of it. */
async function notEntered(
  { pool }: Pick<Database, 'pool'>,
  { personId }: Caller,
  account: AccountId,
): Promise<AppError> {
  const isSignedOut = await isSignedOutOf(pool, account, personId)
  return new AppError(isSignedOut ? 'signed_out_of_account' : 'not_found')
}

/** The accounts that the caller may enter now, by name. */
export async function listOwnAccounts({ db }: Database, caller: Caller, address: string): Promise<AccountEntry[]> {
  if (caller.kind === 'impersonation' && caller.account !== null) {
    const { id, name } = await requireAccount(db, caller.account)
    return [{ Key: id, Value: name }]
  }
  return accountsOf(db, holderOf(caller), { address })
}

const readIdentities = identitiesApi.listIdentities.action

/**
 * The names of the policies and features that a person holds in an account. Callers may always read their own. Power
 * admins and power users of the account may also read those of others, regardless of current limits; those of global
 * identities are for power admins only.
 */
export async function listPolicies(
  { db, pool }: Database,
  caller: Caller,
  { account, email, address }: { account: AccountId; email: string; address: string },
): Promise<string[]> {
  const isOwn = isSameCaller(caller.email, email)
  if (isOwn && caller.account === account) return caller.user().policies
  // Links and credentials are bound to one account; a session covers all that its person may enter.
  const session = caller.kind === 'session' ? await selectSession(pool, caller.sessionId, account) : null
  const own = session && toAccess(session, { at: new Date(), address })
  const user = own ? own.mayEnter && toUser(own) : caller.account === account && caller.user()
  if (user && isOwn) return user.policies
  const mayRead = own
    ? administers({ ...own, counting: own.identities }, readIdentities, null)
    : caller.account === account && caller.administers(readIdentities, null)
  if (!user || !mayRead) throw new AppError('not_found')
  const person = await selectPerson(db, email)
  const names = person && (await policyNamesOf(pool, account, person.id, { withGlobal: user.isPowerAdmin }))
  if (!names) throw new AppError('not_found')
  return names
}

/** Ends the caller's session or impersonation link. */
export async function logOut({ db }: Database, caller: Caller, from: Origin): Promise<void> {
  const { account, kind, sessionId, email } = caller
  if (kind !== 'impersonation') requireSignedIn(caller)
  await inTransaction(db, async (tx) => {
    if (kind === 'impersonation' && account !== null) await endOwnLink(tx, account, sessionId)
    else await endSession(tx, sessionId)
    await recordAudit(tx, { ...signInFacts(email, from), account, action: 'signed out' })
  })
}

function requireSignedIn({ kind }: Caller): void {
  if (kind === 'session') return
  const message = 'An API credential has no session. Set its account in the header x-account-id.'
  throw new AppError('not_allowed', undefined, message)
}
