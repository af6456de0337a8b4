import type { AccountId } from '@portico/contract/accounts'
import type { OwnedKind } from '@portico/contract/people'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'

// Work that acts by the right of who saved it can be handed over (ADR 0162). Each module with such work exports an `OwnedWork`.

/** A person by whose right work acts, or will act. */
export type Owner = { id: string; email: string }

/** A person, with the identities by whose right their work is listed: all of it (null), or only what acts by these. */
export type ListedOwner = Owner & { identities: readonly string[] | null }

/** Something a person owns. `version`: it was not saved since, if it still has this one. */
export type OwnedRow = { id: string; name: string; account: AccountId; version: number }

/** The receiver as a caller in the account, with their present rights there. */
type Receiver = Pick<AccountContext, 'account' | 'caller' | 'actor' | 'address'>

/** `closed`: accounts that the administrator cannot enter for lack of a second factor. */
type Offer = { receiver: Receiver; owner: Owner; closed: readonly AccountId[] }

/** The holder by whose right the work would act, or why the receiver could not save it as it is, in words for users. */
export type Reception = { holder: string } | { refusal: string }

/** Some of what a person owns: chosen items, or a page of all, by name. */
export type OwnedPart = { ids: readonly string[] } | { skip: number; most: number }

type HandOver = {
  row: OwnedRow
  holder: string
  from: Owner
  to: Owner
  /** The administrator. */
  by: Actor & { personId: string }
}

export type OwnedWork = {
  kind: OwnedKind
  /** Work that the person owns in these accounts, by name. */
  list: (db: Db, accounts: readonly AccountId[], owner: ListedOwner, part: OwnedPart) => Promise<OwnedRow[]>
  /** Judges what the receiver would have to be allowed to save it as it is. Not for transactions: it takes other connections. */
  receive: (db: Db, offer: Offer, id: string) => Promise<Reception>
  /** Changes the owner in the caller's transaction, with an entry in the audit log. False if it has changed since. */
  move: (tx: Db, handOver: HandOver) => Promise<boolean>
}

/** The holder that `judge` finds, or the reason of its refusal. */
export async function receptionOf(judge: () => Promise<string>): Promise<Reception> {
  try {
    return { holder: await judge() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { refusal: error.message }
  }
}
