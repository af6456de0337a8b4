import { type Identity, maxCredentials, type NewCredential } from '@portico/contract/identities'
import { type Administrator, givesApiAccess, type IdentityRow, requireManaged, withAccessLock } from '#access'
import { recordAudit } from '#audit'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { toCredential } from './credential-on-wire.ts'
import { generateCredential } from './credential-secret.ts'
import {
  type CredentialRow,
  deleteCredential,
  insertCredential,
  selectCredentials,
  updateCredentialActive,
} from './credentials.queries.ts'

export type CredentialAction = 'addapi' | 'inactiveapi' | 'reactiveapi' | 'deleteapi'

type Credentials = Pick<Identity, '_id' | 'hasApiAccess' | 'apiCredentials'>

const auditActions = {
  addapi: 'credential created',
  inactiveapi: 'credential switched off',
  reactiveapi: 'credential switched on',
  deleteapi: 'credential deleted',
} satisfies Record<CredentialAction, string>

/**
 * Adds, activates, deactivates or deletes a credential of an identity. `credential` is its number or its API id; 0 adds
 * one, which `draft` describes and whose secret is in this result only.
 * @throws not_found, not_allowed; limit_reached when it already has five; invalid_input when it would expire in the past
 */
export async function changeCredential(
  db: Db,
  admin: Administrator,
  id: string,
  { action, credential, draft = {} }: { action: CredentialAction; credential: string; draft?: NewCredential },
): Promise<Credentials> {
  return withAccessLock(db, async (tx) => {
    const identity = await requireManaged(tx, admin, id)
    const before = await credentialsOf(tx, admin, identity)
    const number = numberOf(identity, credential)
    const added = action === 'addapi' ? await addCredential(tx, identity, { before, number, draft }) : null
    if (action !== 'addapi') await changeKnown(tx, identity, action, number)
    const now = await credentialsOf(tx, admin, identity)
    const { email, account } = identity
    const changed = added?.number ?? number
    const known = [...now, ...before].find((row) => row.number === changed)
    const details = {
      credential: changed,
      name: known?.name,
      accessKey: known?.accessKey,
      ...(added && { expiresAt: known?.expiresAt?.toISOString() ?? null }),
    }
    await recordAudit(tx, { ...admin.by, account, action: auditActions[action], subject: email, details })
    return {
      _id: identity.id,
      hasApiAccess: givesApiAccess(now.map(toCredential)),
      apiCredentials: now.map((row) =>
        added?.number === row.number ? { ...toCredential(row), secretKey: added.secretKey } : toCredential(row),
      ),
    }
  })
}

function credentialsOf(db: Db, admin: Administrator, { id, account }: IdentityRow): Promise<CredentialRow[]> {
  return selectCredentials(db, admin.account, { withGlobal: account === null, identity: id })
}

/** Parses the number of a credential of this identity. Throws `not_found` for any other text. */
function numberOf({ id }: IdentityRow, text: string): number {
  const [, number] = /^(?:[\da-f-]{36}-)?(\d{1,6})$/i.exec(text) ?? []
  const isForeign = text.includes('-') && !text.toLowerCase().startsWith(`${id}-`)
  if (number === undefined || isForeign) throw new AppError('not_found')
  return Number(number)
}

async function addCredential(
  db: Db,
  { id, account }: IdentityRow,
  { before, number, draft }: { before: readonly CredentialRow[]; number: number; draft: NewCredential },
): Promise<{ number: number; secretKey: string }> {
  if (number !== 0) throw new AppError('not_found')
  if (before.length >= maxCredentials) {
    throw new AppError('limit_reached', undefined, `An identity has at most ${maxCredentials} API credentials.`)
  }
  const next = Math.max(0, ...before.map((known) => known.number)) + 1
  const { accessKey, secretKey, secretHash } = generateCredential()
  const createdAt = new Date()
  const expiresAt = draft.expiresAt ? new Date(draft.expiresAt) : null
  if (expiresAt && expiresAt <= createdAt) throw invalidField('expiresAt', 'Choose a date in the future.')
  const name = draft.name ?? `Key ${next}`
  const credential = { number: next, name, accessKey, secretHash, createdAt, expiresAt, isActive: true }
  await insertCredential(db, account, id, credential)
  return { number: next, secretKey }
}

async function changeKnown(
  db: Db,
  { id, account }: IdentityRow,
  action: Exclude<CredentialAction, 'addapi'>,
  number: number,
): Promise<void> {
  const isFound =
    action === 'deleteapi'
      ? await deleteCredential(db, account, id, number)
      : await updateCredentialActive(db, account, id, { number, isActive: action === 'reactiveapi' })
  if (!isFound) throw new AppError('not_found')
}
