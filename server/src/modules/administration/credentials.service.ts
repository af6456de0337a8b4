import { type Identity, maxCredentials } from '@portico/contract/identities'
import { recordAudit } from '#audit'
import { generateCredential } from '#identity'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { withAccessLock } from './access-lock.queries.ts'
import type { Administrator } from './administrator.ts'
import { deleteCredential, insertCredential, updateCredentialActive } from './credentials.queries.ts'
import type { IdentityRow } from './identities.queries.ts'
import { requireManaged } from './identities.service.ts'
import { credentialsOf } from './identity-on-wire.ts'

export type CredentialAction = 'addapi' | 'inactiveapi' | 'reactiveapi' | 'deleteapi'

type Credentials = Pick<Identity, '_id' | 'hasApiAccess' | 'apiCredentials'>

const auditActions = {
  addapi: 'credential created',
  inactiveapi: 'credential switched off',
  reactiveapi: 'credential switched on',
  deleteapi: 'credential deleted',
} satisfies Record<CredentialAction, string>

/**
 * Adds, switches or deletes a credential of an identity. `credential` is its number, or the id it has on the wire; 0 to
 * add one, whose secret is in the answer and never again.
 * @throws not_found, not_allowed; limit_reached beyond five
 */
export async function changeCredential(
  db: Db,
  admin: Administrator,
  id: string,
  { action, credential }: { action: CredentialAction; credential: string },
): Promise<Credentials> {
  return withAccessLock(db, async (tx) => {
    const identity = await requireManaged(tx, admin, id)
    const number = numberOf(identity, credential)
    const added = action === 'addapi' ? await addCredential(tx, identity, number) : null
    if (action !== 'addapi') await changeKnown(tx, identity, action, number)
    const now = await requireManaged(tx, admin, id)
    const { apiCredentials, hasApiAccess } = credentialsOf(now)
    const { email, account } = identity
    const credentialNow = added?.number ?? number
    const details = { credential: credentialNow, accessKey: accessKeyOf(identity, now, credentialNow) }
    await recordAudit(tx, { ...admin.by, account, action: auditActions[action], subject: email, details })
    return {
      _id: identity.id,
      hasApiAccess,
      apiCredentials: apiCredentials.map((one) =>
        added && one._id === `${identity.id}-${added.number}` ? { ...one, secretKey: added.secretKey } : one,
      ),
    }
  })
}

/** The number that the text names, if it can be one of this identity. */
function numberOf({ id }: IdentityRow, text: string): number {
  const [, number] = /^(?:[\da-f-]{36}-)?(\d{1,6})$/i.exec(text) ?? []
  const isForeign = text.includes('-') && !text.toLowerCase().startsWith(`${id}-`)
  if (number === undefined || isForeign) throw new AppError('not_found')
  return Number(number)
}

async function addCredential(
  db: Db,
  { id, account, credentials }: IdentityRow,
  number: number,
): Promise<{ number: number; secretKey: string }> {
  if (number !== 0) throw new AppError('not_found')
  if (credentials.length >= maxCredentials) {
    throw new AppError('limit_reached', undefined, `An identity has at most ${maxCredentials} API credentials.`)
  }
  const next = Math.max(0, ...credentials.map((known) => known.number)) + 1
  const { accessKey, secretKey, secretHash } = generateCredential()
  const createdAt = new Date()
  await insertCredential(db, account, id, { number: next, accessKey, secretHash, createdAt, isActive: true })
  return { number: next, secretKey }
}

async function changeKnown(
  db: Db,
  { id, account }: IdentityRow,
  action: Exclude<CredentialAction, 'addapi'>,
  number: number,
): Promise<void> {
  const isThere =
    action === 'deleteapi'
      ? await deleteCredential(db, account, id, number)
      : await updateCredentialActive(db, account, id, { number, isActive: action === 'reactiveapi' })
  if (!isThere) throw new AppError('not_found')
}

function accessKeyOf(before: IdentityRow, now: IdentityRow, number: number): string | undefined {
  return [...now.credentials, ...before.credentials].find((known) => known.number === number)?.accessKey
}
