import type { Actor } from '#platform/actor.ts'
import type { AccountId } from '@portico/contract/accounts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { portal, requireAccount } from '#accounts'
import { addIdentity, administratorsGroup, powerUsersGroup } from '#access'
import { generatePassword, hashPassword } from '../passwords/passwords.ts'
import { insertPerson, type Person, selectPerson, updatePasswordHash } from '#persons'

export type IdentityDraft = {
  email: string
  /** Null makes a power admin, who may do everything in every account. */
  account: AccountId | null
  /** May do everything in the account. Otherwise nothing but what the group `everyone` may. */
  powerUser: boolean
  /** For a person who has none yet; generated when left out, and then only good for choosing another one. */
  password?: string
}

export type NewIdentity = {
  id: string
  email: string
  account: AccountId | null
  /** The generated password; absent when the person had one, or it was given. */
  password?: string
}

// Only sending an e-mail proves that it arrives; this catches typing errors.
const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

const passwordMinLength = 8

/**
 * Gives a person an identity in an account, or a global one, and a password unless they have one. For operators, who invite
 * no one. Throws `name_taken` when they have an identity there, `invalid_input`, `not_found`.
 */
export async function createIdentityWithPassword(
  db: Db,
  draft: IdentityDraft,
  by: Actor = portal,
): Promise<NewIdentity> {
  const { account, powerUser } = draft
  if (account === null && powerUser) throw invalidField('account', 'A power user needs an account.')
  if (!emailPattern.test(draft.email.trim())) throw invalidField('email', 'Value is invalid!')
  return inTransaction(db, async (tx) => {
    if (account !== null) await requireAccount(tx, account)
    const { person, password } = await personFor(tx, draft)
    const details = { powerAdmin: account === null, powerUser }
    const groups = account === null ? [administratorsGroup] : powerUser ? [powerUsersGroup] : []
    const id = await addIdentity(tx, account, person, { groups, details }, by)
    if (id === null) {
      const where = account === null ? 'a global identity' : `an identity in account ${account}`
      throw new AppError('name_taken', undefined, `${person.email} has ${where} already.`)
    }
    return { id, email: person.email, account, ...(password !== undefined && { password }) }
  })
}

/** Adds a person with a password that is not returned, for demo data. Leaves a person who exists alone. */
export async function addPersonWithRandomPassword(db: Db, email: string): Promise<void> {
  if (await selectPerson(db, email)) return
  const passwordHash = await hashPassword(generatePassword())
  await insertPerson(db, { id: crypto.randomUUID(), email, passwordHash })
}

/** Returns the person of the draft, who can sign in afterwards; `password` is set when it was generated. */
async function personFor(db: Db, draft: IdentityDraft): Promise<{ person: Person; password?: string }> {
  const known = await selectPerson(db, draft.email)
  if (known?.passwordHash) {
    if (draft.password === undefined) return { person: known }
    throw invalidField('password', `${known.email} has a password already and keeps it.`)
  }
  const password = draft.password ?? generatePassword()
  if (password.length < passwordMinLength) {
    throw invalidField('password', `A password has at least ${passwordMinLength} characters.`)
  }
  const passwordHash = await hashPassword(password)
  const passwordIsTemporary = draft.password === undefined
  const made = passwordIsTemporary ? { password } : {}
  if (known) {
    await updatePasswordHash(db, known.id, passwordHash, { isTemporary: passwordIsTemporary })
    return { person: known, ...made }
  }
  const person = { id: crypto.randomUUID(), email: draft.email.trim(), passwordHash, passwordIsTemporary }
  // Another transaction added the same person a moment ago: they keep the password from then.
  if (!(await insertPerson(db, person))) return personFor(db, draft)
  return { person, ...made }
}
