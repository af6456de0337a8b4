import type { AccountId } from '@portico/contract/identity'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { portal, requireAccount } from './accounts.service.ts'
import { insertIdentity, insertIdentityGroup } from './identities.queries.ts'
import { generatePassword, hashPassword } from './passwords.ts'
import { insertPerson, type Person, selectPerson, updatePasswordHash } from './persons.queries.ts'

export type IdentityDraft = {
  email: string
  /** Null makes a power admin, who may do everything in every account. */
  account: AccountId | null
  /** May do everything in the account. Otherwise nothing but what the group `everyone` may. */
  powerUser: boolean
  /** For a person who has none yet; when it is left out one is made up, which is good for choosing another one. */
  password?: string
}

export type NewIdentity = {
  id: string
  email: string
  account: AccountId | null
  /** The password that was made up; absent when the person had one, or it was given. */
  password?: string
}

// The groups of migration 0002-identity.
const administratorsGroup = '00000000-0000-4000-8000-000000000001'
/** Whoever belongs to it may do everything in the account of their identity. */
export const powerUsersGroup = '00000000-0000-4000-8000-000000000002'

// Whether an e-mail arrives is known only by sending one; this catches slips.
const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

const passwordMinLength = 8

/** Gives somebody an identity in an account, or a global one. Throws `name_taken` when they have one there. */
export async function createIdentity(db: Db, draft: IdentityDraft, by: Actor = portal): Promise<NewIdentity> {
  const { account, powerUser } = draft
  if (account === null && powerUser) throw invalidField('account', 'A power user needs an account.')
  if (!emailPattern.test(draft.email.trim())) throw invalidField('email', 'Value is invalid!')
  return inTransaction(db, async (tx) => {
    if (account !== null) await requireAccount(tx, account)
    const { person, password } = await personFor(tx, draft)
    const id = crypto.randomUUID()
    const isNew = await insertIdentity(tx, { id, personId: person.id, account, accessToAllSubAccounts: false })
    if (!isNew) {
      const where = account === null ? 'a global identity' : `an identity in account ${account}`
      throw new AppError('name_taken', undefined, `${person.email} has ${where} already.`)
    }
    if (account === null) await insertIdentityGroup(tx, id, administratorsGroup)
    else if (powerUser) await insertIdentityGroup(tx, id, powerUsersGroup)
    const details = { powerAdmin: account === null, powerUser }
    await recordAudit(tx, { ...by, account, action: 'identity created', subject: person.email, details })
    return { id, email: person.email, account, ...(password !== undefined && { password }) }
  })
}

/** Who has this e-mail; somebody new is remembered without a password, to be invited. */
export async function findOrAddPerson(
  db: Db,
  email: string,
): Promise<{ id: string; email: string; hasPassword: boolean }> {
  const known = await selectPerson(db, email)
  if (known) return { id: known.id, email: known.email, hasPassword: known.passwordHash !== null }
  const person = { id: crypto.randomUUID(), email: email.trim(), passwordHash: null }
  // Somebody else may have made the same person a moment ago.
  if (!(await insertPerson(db, person))) return findOrAddPerson(db, email)
  return { id: person.id, email: person.email, hasPassword: false }
}

/**
 * Remembers somebody as if they had chosen a password, which nobody knows: for people who are only there to be seen.
 * Whoever is known already stays as they are.
 */
export async function addPersonToBeSeen(db: Db, email: string): Promise<void> {
  if (await selectPerson(db, email)) return
  const passwordHash = await hashPassword(generatePassword())
  await insertPerson(db, { id: crypto.randomUUID(), email, passwordHash })
}

/** The person of the draft, who can sign in afterwards; `password` is the one that was made up for it. */
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
  // Somebody else made the same person a moment ago: they keep the password that was given then.
  if (!(await insertPerson(db, person))) return personFor(db, draft)
  return { person, ...made }
}
