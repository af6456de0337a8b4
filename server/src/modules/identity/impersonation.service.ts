import { impersonationFlags } from '@portico/contract/impersonation'
import type { AccountId } from '@portico/contract/identity'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { insertImpersonation, updateImpersonationRevoked } from './impersonations.queries.ts'
import { selectPersonById } from './persons.queries.ts'
import type { Tokens } from './tokens.ts'

export type ImpersonationDraft = {
  /** The only address from which the link will work. */
  address: string
  seconds: number
  /** Names of policies and features; null stands for all that the maker holds, whatever that is at the time. */
  policies: readonly string[] | null
}

/**
 * Makes an impersonation link of what the caller holds in their account, and answers its token. Throws `not_allowed`
 * when the caller is no power admin or power user who signed in with the password, or holds none of what was chosen.
 */
export async function startImpersonation(
  db: Db,
  tokens: Tokens,
  caller: Caller & { account: AccountId },
  { address, seconds, policies }: ImpersonationDraft,
  by: Actor,
): Promise<string> {
  const { account, email, personId, kind, isPowerAdmin, isPowerUser } = caller
  if (kind !== 'session' || !(isPowerAdmin || isPowerUser)) {
    const who = 'power admins and power users who have signed in with a password'
    throw new AppError('not_allowed', undefined, `Only ${who} may make such a link.`)
  }
  const { policies: held, parent } = caller.user()
  const chosen = chosenOf(held, policies)
  const [id, at] = [crypto.randomUUID(), new Date()]
  const expiresAt = new Date(at.getTime() + seconds * 1000)
  await inTransaction(db, async (tx) => {
    await insertImpersonation(tx, account, { id, personId, address, policies: chosen, at, expiresAt })
    const details = { address, policies: chosen, expiresAt: expiresAt.toISOString() }
    await recordAudit(tx, { ...by, account, action: 'impersonation created', subject: email, details })
  })
  return tokens.sign({ imp: id, aid: account, paid: parent, pa: false, pu: false, email }, expiresAt)
}

/** Ends a link of the account at once. Throws `not_found` when there is no live one. */
export async function revokeImpersonation(db: Db, account: AccountId, id: string, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    const personId = isUuid(id) ? await updateImpersonationRevoked(tx, account, id, new Date()) : null
    const maker = personId === null ? null : await selectPersonById(tx, personId)
    if (!maker) throw new AppError('not_found')
    const details = { id }
    await recordAudit(tx, { ...by, account, action: 'impersonation revoked', subject: maker.email, details })
  })
}

/** The chosen names that the maker holds, and the flags that other products read. */
function chosenOf(held: readonly string[], chosen: readonly string[] | null): string[] | null {
  const known = new Set(held.map((name) => name.toLowerCase()))
  const isHeld = (name: string): boolean => known.has(name.toLowerCase())
  const isAny = chosen === null ? held.length > 0 : chosen.some(isHeld)
  if (!isAny)
    throw new AppError('not_allowed', undefined, 'You hold none of these policies, so a link would give nothing.')
  const flags = new Set<string>(impersonationFlags)
  return chosen && chosen.filter((name) => isHeld(name) || flags.has(name))
}

function isUuid(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}
