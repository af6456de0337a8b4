import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { AppError } from '#platform/app-error.ts'
import type { Caller, Refusal } from '#platform/http/context.ts'
import { selectAccess, selectIdentityAccess } from './access.queries.ts'
import { toAccess } from './access.service.ts'
import { policiesHeld } from './access-judgement.ts'
import { type AccessRow, asProgram } from './access-sql.ts'
import { actingCaller, toCaller } from './caller.ts'
import type { HeldIdentity } from './held-identity.ts'
import { type Holder } from './holder.ts'
import { holdsEveryAction, isPowerAdminIdentity } from './power.ts'
import { isUuid } from '#platform/ids.ts'

/** A caller with the rights that stored work acts with now, or the reason why it has none, in words for users. */
export type Acting = { caller: Caller } | NotActing
export type NotActing = { refusal: string; because?: 'credential' | 'two-factor' | 'account' }

/**
 * A caller with the current rights of one identity in an account, for work stored with that identity. Refused once the
 * identity was handed over to another person. Days, hours and networks are judged for requests from `address`. If it is
 * null, they are not: they were judged when the work was saved.
 */
export async function actingIdentity(
  pool: pg.Pool,
  account: AccountId,
  holder: Extract<Holder, { identity: string }>,
  address: string | null = null,
): Promise<Acting> {
  // Ids in signed links come from earlier releases of the portal too.
  const row = isUuid(holder.identity) ? await selectIdentityAccess(pool, account, holder.identity) : null
  const [identity] = row?.identities ?? []
  const isSame = holder.person === null || row?.person_id === holder.person
  if (!row || !identity || !isSame) return { refusal: 'Its author no longer has access to this account.' }
  const refused = identityRefusal(holder.kind === 'credential' ? asProgram(row) : row, identity)
  if (refused) return refused
  const access = toAccess(asProgram(row), { at: new Date(), address: address ?? '' })
  if (address !== null && !access.mayEnter) return { refusal: `${row.email} may not work in this account now.` }
  return { caller: actingCaller(access, identity, holder) }
}

/**
 * Why an identity cannot act in an account at any hour or from any network; null if it can. This is the one rule for
 * stored work that runs later, as `judgeAccess` is for calls: a person who lacks a required second factor is refused by
 * both.
 */
function identityRefusal(
  { email, is_suspended: isSuspended, lacks_two_factor: lacksTwoFactor }: AccessRow,
  identity: HeldIdentity,
): NotActing | null {
  if (identity.isDisabled) return { refusal: `The identity of ${email} is disabled.` }
  if (isSuspended && !isPowerAdminIdentity(identity))
    return { refusal: 'This account is suspended.', because: 'account' }
  if (!lacksTwoFactor) return null
  return {
    refusal: `${email} has to set up two-factor first, which is required here.`,
    because: 'two-factor',
  }
}

/** The identities of a row that count, regardless of hours and networks. */
export const heldWithoutLimits = (row: AccessRow): HeldIdentity[] =>
  row.identities.filter((each) => identityRefusal(row, each) === null)

/**
 * A caller with all current rights of a person in an account, for links they created, or the reason why there is none.
 * Days, hours and networks are not judged: other people use the link, elsewhere and later. `withGlobal`: false to leave
 * a global identity out.
 */
export async function actingPerson(
  pool: pg.Pool,
  account: AccountId,
  personId: string,
  { withGlobal = true }: { withGlobal?: boolean } = {},
): Promise<Acting> {
  const found = await selectAccess(pool, account, personId)
  const isCounted = (each: HeldIdentity): boolean => withGlobal || each.account !== null
  const row = found && { ...found, identities: found.identities.filter(isCounted) }
  const held = row && heldWithoutLimits(row)
  if (!row || row.account_id === null || !held?.length) {
    const paused = row?.identities
      .map((each) => identityRefusal(row, each))
      .find((each) => each?.because === 'two-factor')
    return paused ?? { refusal: 'They no longer have access to this account.' }
  }
  const ofAccounts = held.filter((each) => each.account !== null).flatMap(({ policies }) => policies)
  const isPowerAdmin = held.some(isPowerAdminIdentity)
  const isPowerUser = !isPowerAdmin && holdsEveryAction(ofAccounts)
  const access = { ...toAccess(row, { at: new Date(), address: '' }), identities: held, policies: policiesHeld(held) }
  const holder = { kind: 'session' as const, person: personId }
  return { caller: toCaller({ ...access, isPowerAdmin, isPowerUser }, { kind: 'session', sessionId: '', holder }) }
}

/**
 * Chooses the identity whose rights apply to work the caller stores: the first of their identities that alone may do
 * all of it. Rights of several identities are never combined; an API credential has only one.
 * @param refusalOf why a caller may not; null if they may
 * @throws not_allowed with the reason
 */
export async function requireActor(
  caller: Caller,
  refusalOf: (actor: Caller) => Refusal | null | Promise<Refusal | null>,
): Promise<Caller> {
  const identities = caller.identities()
  let first: Refusal | null = null
  for (const identity of identities) {
    const refusal = await refusalOf(identity)
    if (!refusal) return identity
    first ??= refusal
  }
  const isAlone = identities.length > 1 && !(await refusalOf(caller))
  const message = isAlone
    ? `None of your identities may do this alone, and what is saved acts as one of them. ${first?.message ?? ''}`
    : first?.message
  throw new AppError(first?.code ?? 'not_allowed', first?.details, message?.trim())
}
