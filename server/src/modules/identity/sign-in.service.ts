import type { AccountEntry, AccountId, Preferences, User } from '@portico/contract/identity'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http.ts'
import { selectSession } from './access.queries.ts'
import { type Access, accessOf, toAccess, toUser } from './access.service.ts'
import { accountsOf } from './accounts.service.ts'
import { policyNames } from './granted-actions.ts'
import { attemptSignIn } from './lockout.service.ts'
import { isPasswordOf } from './passwords.ts'
import { selectPerson } from './persons.queries.ts'
import { startSession } from './sessions.service.ts'
import type { Tokens } from './tokens.ts'

/** Checks e-mail and password and starts a session, in which an account is still to be chosen. */
export async function signIn(
  { db, pool }: Database,
  tokens: Tokens,
  { email, password }: { email: string; password: string },
  from: { address: string; device: string },
): Promise<{ isTwoFactor: false; token: string; user: User; accounts: AccountEntry[] }> {
  const person = await attemptSignIn(db, { email: email.trim(), address: from.address }, async () => {
    const candidate = await selectPerson(db, email)
    const isRight = await isPasswordOf(candidate?.passwordHash ?? null, password)
    return isRight ? candidate : null
  })
  const access = person && (await accessOf(pool, null, person.id))
  if (!access) throw new AppError('wrong_credentials')
  const accounts = await accountsOf(db, access)
  if (accounts.length === 0) throw new AppError('no_account')
  const { id, expiresAt } = await startSession(db, access.personId, from)
  const token = await tokens.sign(claimsOf(access, id), expiresAt)
  return { isTwoFactor: false, token, user: toUser(access), accounts }
}

/** A token of the caller's session for one account. */
export async function enterAccount(
  { pool }: Database,
  tokens: Tokens,
  { sessionId }: Caller,
  account: AccountId,
): Promise<{ token: string; user: User; preferences: Preferences }> {
  const session = await selectSession(pool, sessionId, account)
  const access = session && toAccess(session)
  if (!session || !access?.mayEnter) throw new AppError('not_found')
  const token = await tokens.sign(claimsOf(access, sessionId), session.expires_at)
  return { token, user: toUser(access), preferences: access.preferences }
}

/** The accounts that the caller may enter, by name. */
export async function listOwnAccounts({ db, pool }: Database, { personId }: Caller): Promise<AccountEntry[]> {
  const access = await accessOf(pool, null, personId)
  return access ? accountsOf(db, access) : []
}

/**
 * The names of the policies and features that somebody holds in an account. Everybody may ask for their own; those of
 * others are told to power admins and to power users of the account.
 */
export async function listPolicies(
  { db, pool }: Database,
  caller: Caller,
  account: AccountId,
  email: string,
): Promise<string[]> {
  const own = await accessOf(pool, account, caller.personId)
  if (own?.mayEnter && own.email.toLowerCase() === email.toLowerCase()) return policyNames(own.policies)
  if (!own?.mayEnter || !(own.isPowerAdmin || own.isPowerUser)) throw new AppError('not_found')
  const person = await selectPerson(db, email)
  const access = person && (await accessOf(pool, account, person.id))
  if (!access?.mayEnter) throw new AppError('not_found')
  return policyNames(access.policies)
}

function claimsOf({ account, parent, isPowerAdmin, isPowerUser, email }: Access, sessionId: string) {
  return { sid: sessionId, aid: account, paid: parent, pa: isPowerAdmin, pu: isPowerUser, email }
}
