import type { AccountId } from '@portico/contract/accounts'
import { type Identity, type NewCredential } from '@portico/contract/identities'
import {
  type Administrator,
  givesApiAccess,
  type IdentityRow,
  isOwn,
  requireHeld,
  managed,
  requireNotAbove,
  rightsOfIdentity,
  withAccessLockOn,
} from '#access'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { requireRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { CredentialChecks, SecretNotice } from './credential-checks.ts'
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

/** `credential` is its number or its API id; 0 adds one with the properties in `draft`. */
export type CredentialChange = { action: CredentialAction; credential: string; draft?: NewCredential }

/**
 * The circumstances of a change of a credential. `isOthers`: an administrator changes that of another person, who
 * cannot undo it. Without `checks`, its person gets no email.
 */
type Change = { by: Actor; checks?: Pick<CredentialChecks, 'tellOwner'>; isOthers?: boolean }

type Credentials = Pick<Identity, '_id' | 'hasApiAccess' | 'apiCredentials'>

/** An identity with credentials; `email` names it in the audit log, `personId` is null for a service. */
type Owner = { id: string; account: AccountId | null; email: string; personId: string | null }

const auditActions = {
  addapi: 'credential created',
  inactiveapi: 'credential switched off',
  reactiveapi: 'credential switched on',
  deleteapi: 'credential deleted',
} satisfies Record<CredentialAction, string>

/** Actions after which a secret works that did not work before, and the email about each. */
const notices: Partial<Record<CredentialAction, SecretNotice>> = {
  addapi: 'API credential created',
  reactiveapi: 'API credential switched on',
}

/** Whether a secret that did not work before works after the action. */
export const opensWay = (action: CredentialAction): boolean => notices[action] !== undefined

/**
 * Adds, activates, deactivates or deletes a credential as an administrator: of a service identity, or of their own. A
 * secret acts in the name of its holder, so credentials of other persons can only be deleted, or switched off, which an
 * administrator can undo. It also has the rights of its identity, so an administrator must hold these to create one.
 * @throws not_found, not_allowed, exceeds_rights, two_factor_needed; as `changeCredentialOf`
 */
export async function changeCredential(
  db: Db,
  asking: Administrator,
  id: string,
  { checks, ...change }: CredentialChange & { checks: CredentialChecks },
): Promise<Credentials> {
  return withAccessLockOn(db, asking, managed(id), async (tx, admin, identity) => {
    const isMine = isOwn(identity, admin)
    if (opensWay(change.action)) {
      await requireOpener(tx, identity, change, isMine)
      if (!isMine) requireHeld(admin, rightsOfIdentity(identity, identity.groups))
      await checks.requireEntry({ ...identity, isOwn: isMine })
    } else if (!isMine) requireNotAbove(admin, identity)
    const isOthers = identity.personId !== null && !isMine
    return changeCredentialOf(tx, identity, change, { by: admin.by, checks, isOthers })
  })
}

/**
 * Requires that an administrator may give access with this credential: it is their own, a service's, or one that
 * administrators had switched off.
 */
async function requireOpener(
  tx: Db,
  identity: IdentityRow,
  { action, credential }: CredentialChange,
  isMine: boolean,
): Promise<void> {
  if (isMine && action === 'reactiveapi') await requireUnblocked(tx, identity, credential)
  if (isMine || identity.serviceName !== null) return
  if (action === 'reactiveapi' && (await blockedBy(tx, identity, credential)) !== null) return
  throw new AppError(
    'not_allowed',
    undefined,
    `Only ${identity.email} can create or switch on their API credentials, in their profile. For a program, create a service identity.`,
  )
}

/** @throws not_allowed if an administrator has switched the credential off: its owner cannot switch it on again */
export async function requireUnblocked(
  tx: Db,
  owner: Pick<Owner, 'id' | 'account'>,
  credential: string,
): Promise<void> {
  const by = await blockedBy(tx, owner, credential)
  if (by === null) return
  const message = `${by} switched this API credential off, so only an administrator can switch it on again. Ask them, or create a new one.`
  throw new AppError('not_allowed', undefined, message)
}

async function blockedBy(tx: Db, owner: Pick<Owner, 'id' | 'account'>, credential: string): Promise<string | null> {
  const number = numberOf(owner, credential)
  const rows = await selectCredentialsOf(tx, owner.account, owner.id)
  return rows.find((row) => row.number === number)?.blockedBy ?? null
}

/**
 * Adds, activates, deactivates or deletes a credential of an identity, in the caller's transaction. Returns all its
 * credentials; the secret of a new one is in this result only.
 * @throws not_found; limit_reached when it already has five; invalid_input when it would expire in the past
 */
export async function changeCredentialOf(
  tx: Db,
  owner: Owner,
  { action, credential, draft = {} }: CredentialChange,
  { by, checks, isOthers = false }: Change,
): Promise<Credentials> {
  const { id, account, email, personId } = owner
  const before = await selectCredentialsOf(tx, account, id)
  const number = numberOf(owner, credential)
  const added = action === 'addapi' ? await addCredential(tx, owner, { before, number, draft, by }) : null
  if (action !== 'addapi') await changeKnown(tx, owner, action, { number, blockedBy: isOthers ? by.actor : null })
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
  const notice = notices[action]
  if (notice && personId !== null) await checks?.tellOwner(tx, personId, notice)
  return {
    _id: id,
    hasApiAccess: givesApiAccess(now.map(toCredential)),
    apiCredentials: now.map((row) =>
      row.number === added?.number ? { ...toCredential(row), secretKey: added.secretKey } : toCredential(row),
    ),
  }
}

/** Parses the number of a credential of this identity. Throws `not_found` for any other text. */
function numberOf({ id }: Pick<Owner, 'id'>, text: string): number {
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
  { number, blockedBy: blocker }: { number: number; blockedBy: string | null },
): Promise<void> {
  const isFound =
    action === 'deleteapi'
      ? await deleteCredential(db, account, id, number)
      : await updateCredentialActive(db, account, id, {
          number,
          isActive: action === 'reactiveapi',
          blockedBy: blocker,
        })
  if (!isFound) throw new AppError('not_found')
}
