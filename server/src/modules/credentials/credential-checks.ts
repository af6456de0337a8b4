import type { AccountId } from '@portico/contract/accounts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller, Context } from '#platform/http/context.ts'

/** An identity whose rights a secret grants. */
type OpenedIdentity = {
  id: string
  /** Null for a global one. */
  account: AccountId | null
  /** Whether it is the caller's own. */
  isOwn: boolean
}

/** Emails about secrets. */
export type SecretNotice = 'API credential created' | 'API credential switched on' | 'impersonation link created'

/** Throws unless the caller has entered their password recently. */
type StepUp = (db: Db, caller: Pick<Caller, 'kind' | 'sessionId'>) => Promise<void>

/** The part of sign-in needed by calls about secrets. Passed in because sign-in comes later in the module order. */
export type SignInChecks = {
  requireConfirmedPassword: StepUp
  /** Throws unless the caller's session may now enter the accounts that the identity opens. */
  requireEntry: (
    database: Pick<Database, 'db' | 'pool'>,
    caller: Pick<Caller, 'personId' | 'sessionId'>,
    identity: OpenedIdentity,
    address: string,
  ) => Promise<void>
  /** Notifies a person of a change of one of their secrets by email, in the transaction of the change. */
  tellOwner: (
    tx: Db,
    personId: string,
    notice: SecretNotice,
    from: Pick<Context, 'address' | 'device'>,
  ) => Promise<void>
}

/** The same for one request. */
export type CredentialChecks = {
  requireEntry: (identity: OpenedIdentity) => Promise<void>
  tellOwner: (tx: Db, personId: string, notice: SecretNotice) => Promise<void>
}

/**
 * The one rule for calls that give access by a secret (ADR 0115): the checks they must pass, and the person to notify.
 */
export function checksOf(
  { requireEntry, tellOwner }: SignInChecks,
  database: Pick<Database, 'db' | 'pool'>,
  { caller, address, device }: Pick<Context, 'address' | 'device'> & { caller: Caller },
): CredentialChecks {
  return {
    requireEntry: (identity) => requireEntry(database, caller, identity, address),
    tellOwner: (tx, personId, notice) => tellOwner(tx, personId, notice, { address, device }),
  }
}
