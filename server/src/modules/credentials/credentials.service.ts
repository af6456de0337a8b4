import type { AccountId } from '@portico/contract/accounts'
import { type Identity, type NewCredential } from '@portico/contract/identities'
import {
  type Administrator,
  givesApiAccess,
  isOwn,
  requireHeld,
  requireManaged,
  requireNotAbove,
  rightsOfIdentity,
  withAccessLockAs,
} from '#access'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { requireRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { toCredential } from './credential-on-wire.ts'
import { generateCredential } from './credential-secret.ts'
import {
  type CredentialRow,
  deleteCredential,
  insertCredential,
  selectCredentialsOf,
  updateCredentialActive,
} from './credentials.queries.ts'

type CredentialAction = 'addapi' | 'inactiveapi' | 'reactiveapi' | 'deleteapi'

/** `credential` is its number or its API id; 0 adds one, which `draft` describes. */
export type CredentialChange = { action: CredentialAction; credential: string; draft?: NewCredential }

type Credentials = Pick<Identity, '_id' | 'hasApiAccess' | 'apiCredentials'>

/** An identity with credentials; `email` names it in the audit log. */
type Owner = { id: string; account: AccountId | null; email: string }

const auditActions = {
  addapi: 'credential created',
  inactiveapi: 'credential switched off',
  reactiveapi: 'credential switched on',
  deleteapi: 'credential deleted',
} satisfies Record<CredentialAction, string>

/** Actions after which a secret works that did not before. */
const opening: ReadonlySet<CredentialAction> = new Set(['addapi', 'reactiveapi'])

/**
 * Adds, activates, deactivates or deletes a credential as an administrator: of a service identity, or of their own. A secret
 * speaks for its holder, so those of other persons can only be switched off and deleted; and it has the rights of its
 * identity, which an administrator must hold to make one.
 * @throws not_found, not_allowed, exceeds_rights; as `changeCredentialOf`
 */
export async function changeCredential(
  db: Db,
  asking: Administrator,
  id: string,
  change: CredentialChange,
): Promise<Credentials> {
  return withAccessLockAs(db, asking, async (tx, admin) => {
    const identity = await requireManaged(tx, admin, id)
    const isOthers = identity.serviceName === null && !isOwn(identity, admin)
    if (isOthers && opening.has(change.action)) {
      throw new AppError(
        'not_allowed',
        undefined,
        `Only ${identity.email} can create or switch on their API credentials, in their profile. For a program, create a service identity.`,
      )
    }
    if (!isOwn(identity, admin)) {
      if (opening.has(change.action)) requireHeld(admin, rightsOfIdentity(identity, identity.groups))
      else requireNotAbove(admin, identity)
    }
    return changeCredentialOf(tx, identity, change, admin.by)
  })
}

/**
 * Adds, activates, deactivates or deletes a credential of an identity, in the caller's transaction. Returns them all; the
 * secret of a new one is in this result only.
 * @throws not_found; limit_reached when it already has five; invalid_input when it would expire in the past
 */
export async function changeCredentialOf(
  tx: Db,
  owner: Owner,
  { action, credential, draft = {} }: CredentialChange,
  by: Actor,
): Promise<Credentials> {
  const { id, account, email } = owner
  const before = await selectCredentialsOf(tx, account, id)
  const number = numberOf(owner, credential)
  const added = action === 'addapi' ? await addCredential(tx, owner, { before, number, draft, by }) : null
  if (action !== 'addapi') await changeKnown(tx, owner, action, number)
  const now = await selectCredentialsOf(tx, account, id)
  const changed = added?.number ?? number
  const known = [...now, ...before].find((row) => row.number === changed)
  const details = {
    credential: changed,
    name: known?.name,
    accessKey: known?.accessKey,
    ...(added && { expiresAt: known?.expiresAt?.toISOString() ?? null }),
  }
  await recordAudit(tx, { ...by, account, action: auditActions[action], subject: email, details })
  return {
    _id: id,
    hasApiAccess: givesApiAccess(now.map(toCredential)),
    apiCredentials: now.map((row) =>
      row.number === added?.number ? { ...toCredential(row), secretKey: added.secretKey } : toCredential(row),
    ),
  }
}

/** Parses the number of a credential of this identity. Throws `not_found` for any other text. */
function numberOf({ id }: Owner, text: string): number {
  const [, number] = /^(?:[\da-f-]{36}-)?(0|[1-9]\d{0,5})$/.exec(text) ?? []
  const isForeign = text.includes('-') && !text.startsWith(`${id}-`)
  if (number === undefined || isForeign) throw new AppError('not_found')
  return Number(number)
}

async function addCredential(
  db: Db,
  { id, account }: Owner,
  { before, number, draft, by }: { before: readonly CredentialRow[]; number: number; draft: NewCredential; by: Actor },
): Promise<{ number: number; secretKey: string }> {
  if (number !== 0) throw new AppError('not_found')
  requireRoom('credentials', before.length)
  const next = Math.max(0, ...before.map((known) => known.number)) + 1
  const { accessKey, secretKey, secretHash } = generateCredential()
  const createdAt = new Date()
  const expiresAt = draft.expiresAt ? new Date(draft.expiresAt) : null
  if (expiresAt && expiresAt <= createdAt) throw invalidField('expiresAt', 'Choose a date in the future.')
  const name = draft.name ?? `Key ${next}`
  const credential = { number: next, name, accessKey, secretHash, createdAt, expiresAt, isActive: true }
  await insertCredential(db, account, id, { ...credential, createdBy: by.actor })
  return { number: next, secretKey }
}

async function changeKnown(
  db: Db,
  { id, account }: Owner,
  action: Exclude<CredentialAction, 'addapi'>,
  number: number,
): Promise<void> {
  const isFound =
    action === 'deleteapi'
      ? await deleteCredential(db, account, id, number)
      : await updateCredentialActive(db, account, id, { number, isActive: action === 'reactiveapi' })
  if (!isFound) throw new AppError('not_found')
}
