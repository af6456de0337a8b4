import type { Actor } from '#platform/actor.ts'
import type { PortalNames } from '@portico/contract/password-rules'
import type { AccountId } from '@portico/contract/accounts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { portal, requireAccount } from '#accounts'
import { addIdentity, administratorsGroup, powerUsersGroup } from '#access'
import { requireGoodPassword } from '../passwords/password-rules.ts'
import { generatePassword, hashPassword } from '../passwords/passwords.ts'
import { lockPersonDetails, type Person, requirePersonWith, selectPerson, updatePasswordHash } from '#persons'

export type IdentityDraft = {
  email: string
  /** Null creates a power admin, who may do everything in every account. */
  account: AccountId | null
  /** Grants everything in the account. Otherwise, the identity only has the rights of the group `everyone`. */
  powerUser: boolean
  /**
   * For a person who has no password. Generated when omitted; a generated password can only be used to choose another
   * one.
   */
  password?: string
  /** The password to use as the generated one; random by default. */
  generated?: string
  /** Names from which a given password must differ. */
  portalNames?: PortalNames
}

export type NewIdentity = {
  id: string
  email: string
  account: AccountId | null
  /** The generated password; absent when the person already had one or it was provided. */
  password?: string
}

/**
 * Creates an identity in an account, or a global one, for a person, and a password unless they have one. For operators:
 * sends no invitation, the identity counts at once.
 * @throws name_taken when they already have an identity there; invalid_input; not_found
 */
export async function createIdentityWithPassword(
  db: Db,
  draft: IdentityDraft,
  by: Actor = portal,
): Promise<NewIdentity> {
  const { account, powerUser } = draft
  if (account === null && powerUser) throw invalidField('account', 'A power user needs an account.')
  return inTransaction(db, async (tx) => {
    if (account !== null) await requireAccount(tx, account)
    const { person, password } = await personFor(tx, draft)
    const details = { powerAdmin: account === null, powerUser }
    // The operator vouches for it.
    const invitation = null
    const groups = account === null ? [administratorsGroup] : powerUser ? [powerUsersGroup] : []
    const id = await addIdentity(tx, account, person, { groups, details, invitation }, by)
    if (id === null) {
      const where = account === null ? 'a global identity' : `an identity in account ${account}`
      throw new AppError('name_taken', undefined, `${person.email} already has ${where}.`)
    }
    return { id, email: person.email, account, ...(password !== undefined && { password }) }
  })
}

/** Adds a person with a password that is not returned, for demo data. Leaves an existing person unchanged. */
export async function addPersonWithRandomPassword(db: Db, email: string): Promise<void> {
  if (await selectPerson(db, email)) return
  const { id } = await requirePersonWith(db, email)
  await updatePasswordHash(db, id, await hashPassword(generatePassword()))
}

/** Returns the person of the draft, who can now sign in; `password` is set when it was generated. */
async function personFor(tx: Db, draft: IdentityDraft): Promise<{ person: Person; password?: string }> {
  const { id } = await requirePersonWith(tx, draft.email)
  // They may be choosing a password through an invitation at the same time.
  const person = await lockPersonDetails(tx, id)
  if (!person) throw new AppError('not_found')
  if (person.passwordHash) {
    if (draft.password === undefined) return { person }
    throw invalidField('password', `${person.email} already has a password, which stays unchanged.`)
  }
  const password = draft.password ?? draft.generated ?? generatePassword()
  if (draft.password !== undefined) {
    const owner = { email: person.email, userName: null }
    await requireGoodPassword('password', draft.password, owner, draft.portalNames ?? { company: '', product: '' })
  }
  const isTemporary = draft.password === undefined
  await updatePasswordHash(tx, person.id, await hashPassword(password), { isTemporary })
  return { person, ...(isTemporary && { password }) }
}
