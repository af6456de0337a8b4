import { mostPasskeys, type NewPasskey, type Passkey } from '@portico/contract/passkeys'
import { recordForPerson } from '#access'
import { revokeLinksOfSessions } from '#credentials'
import {
  deletePasskey,
  findOrAddHandle,
  insertPasskey,
  lockPersonDetails,
  type PasskeyRow,
  selectPasskeys,
  updatePasskeyName,
} from '#persons'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { isUuid } from '#platform/ids.ts'
import type { SecurityEvent } from '../emails/emails.ts'
import { enqueueSecurityEmail } from '../emails/security-emails.service.ts'
import { lockOwnPassword, requireActive } from '../passwords/own-password.service.ts'
import { newSecret } from '../person-links/secret-links.ts'
import {
  selectPasskeySessions,
  updatePasskeySessionsRevoked,
  updateShownPasskey,
} from '../sessions/sessions.queries.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'
import { type FactorProof, requireFactors } from '../two-factor/factor-proof.service.ts'
import { type ChallengePurpose, newChallenge, takeChallenge } from './challenges.ts'
import { requireRelyingParty } from './relying-party.ts'
import { requireShownPasskey } from './shown-passkey.ts'
import { verifyNewPasskey } from './signatures.ts'

type Deps = Pick<SignInDeps, 'database' | 'jobs' | 'config'>
type Self = Pick<Caller, 'personId' | 'email' | 'sessionId'>

const tooMany = (): AppError =>
  new AppError('limit_reached', undefined, `You can have at most ${mostPasskeys} passkeys. Remove one first.`)

const purposeOf = ({ sessionId }: Self): ChallengePurpose => `add in ${sessionId}`

/** The caller's passkeys, the oldest first. */
export async function listPasskeys(db: Db, personId: string): Promise<Passkey[]> {
  return (await selectPasskeys(db, personId)).map(onWire)
}

const onWire = ({
  id,
  name,
  isSynced,
  createdAt,
  lastUsedAt,
}: Omit<PasskeyRow, 'lastUsedAt'> & Partial<PasskeyRow>) => ({
  _id: id,
  name,
  isSynced,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})

type BegunPasskey = {
  token: string
  challenge: string
  rpId: string
  product: string
  user: { id: string; name: string; displayName: string }
  excludeCredentials: { id: string; type: 'public-key'; transports: string[] }[]
}

/**
 * Returns a challenge for a new passkey of the caller, and what its device shows and excludes.
 * @throws not_found where browsers allow no passkeys; limit_reached; as `requireFactors`
 */
export async function beginPasskey(deps: Deps, self: Self, proof: FactorProof, from: Origin): Promise<BegunPasskey> {
  const { db } = deps.database
  const { id: rpId } = requireRelyingParty(deps.config)
  const own = await requireFactors(deps, self, proof, from)
  const passkeys = await selectPasskeys(db, self.personId)
  if (passkeys.length >= mostPasskeys) throw tooMany()
  const { handle, displayName } = await inTransaction(db, async (tx) => {
    const { userName, email } = await lockOwnPassword(tx, own)
    return { handle: await findOrAddHandle(tx, self.personId, newSecret()), displayName: userName ?? email }
  })
  return {
    ...newChallenge(deps.config, purposeOf(self)),
    rpId,
    product: deps.config.product,
    user: { id: handle, name: self.email, displayName },
    excludeCredentials: passkeys.map(({ credentialId: id, transports }) => ({ id, type: 'public-key', transports })),
  }
}

/**
 * Adds a passkey to the caller. It counts as shown in this session, as its authenticator has just verified the person.
 * @throws invalid_input at `passkey`; limit_reached; name_taken if it was added before, to whomever; as `requireShownPasskey`
 */
export async function addPasskey(
  deps: Deps,
  self: Self,
  { token, name, passkey: sent }: { token: string; name: string; passkey: NewPasskey },
  from: Origin,
): Promise<Passkey> {
  const { db } = deps.database
  const party = requireRelyingParty(deps.config)
  const taken = await takeChallenge(db, deps.config, token, purposeOf(self))
  if (taken === 'expired') throw invalidField('passkey', 'This took too long. Try again.')
  const verified = taken === null ? null : await verifyNewPasskey(sent, { party, ...taken })
  if (!verified) throw invalidField('passkey', 'The passkey could not be verified. Try again.')
  const row = {
    id: crypto.randomUUID(),
    personId: self.personId,
    name,
    transports: sent.transports,
    createdAt: new Date(),
    ...verified,
  }
  await inTransaction(db, async (tx) => {
    await lockPersonDetails(tx, self.personId)
    await requireActive(tx, self)
    // The challenge may be older than the first passkey.
    await requireShownPasskey(tx, self)
    if ((await selectPasskeys(tx, self.personId)).length >= mostPasskeys) throw tooMany()
    if (!(await insertPasskey(tx, row))) {
      throw new AppError('name_taken', undefined, 'This passkey has already been added.')
    }
    await updateShownPasskey(tx, self.sessionId, row.id)
    await recordAndNotify(tx, deps, self, from, { notice: 'passkey added', details: { name } })
  })
  return onWire(row)
}

/** @throws not_found, also for a passkey of another person; as `requireShownPasskey` */
export async function renamePasskey(
  db: Db,
  self: Self,
  { id, name }: { id: string; name: string },
  by: Actor,
): Promise<Passkey> {
  return inTransaction(db, async (tx) => {
    await requireShownPasskey(tx, self)
    const renamed = isUuid(id) ? await updatePasskeyName(tx, self.personId, id, name) : null
    if (!renamed) throw new AppError('not_found')
    const details = { old: renamed.before, new: name }
    if (renamed.before !== name) {
      await recordForPerson(tx, self.personId, { ...by, action: 'passkey renamed', subject: self.email, details })
    }
    const row = (await selectPasskeys(tx, self.personId)).find((each) => each.id === id)
    if (!row) throw new AppError('not_found')
    return onWire(row)
  })
}

/**
 * Removes a passkey of the caller, and ends the other sessions in which it was shown, and the impersonation links that
 * were created in them, even if they have ended already.
 * @throws not_found, also for a passkey of another person; as `requireFactors`
 */
export async function removePasskey(
  deps: Deps,
  self: Self,
  { id, proof }: { id: string; proof: FactorProof },
  from: Origin,
): Promise<null> {
  const own = await requireFactors(deps, self, proof, from)
  await inTransaction(deps.database.db, async (tx) => {
    await lockOwnPassword(tx, own)
    // Before it is removed, which the sessions would forget.
    const sessions = isUuid(id) ? await selectPasskeySessions(tx, id, self.sessionId) : []
    const endedLinks = await revokeLinksOfSessions(tx, self.personId, sessions)
    const endedSessions = isUuid(id) ? await updatePasskeySessionsRevoked(tx, id, self.sessionId, new Date()) : 0
    const name = isUuid(id) ? await deletePasskey(tx, self.personId, id) : null
    if (name === null) throw new AppError('not_found')
    const details = { name, endedSessions, endedLinks }
    await recordAndNotify(tx, deps, self, from, { notice: 'passkey removed', details })
  })
  return null
}

async function recordAndNotify(
  tx: Db,
  { jobs }: Deps,
  { personId, email }: Self,
  from: Origin,
  { notice, details }: { notice: SecurityEvent; details: Record<string, unknown> },
): Promise<void> {
  const via = from.caller?.via
  const by = { actor: email, address: from.address, ...(via && { via }) }
  await recordForPerson(tx, personId, { ...by, action: notice, subject: email, details })
  await enqueueSecurityEmail(tx, jobs, { personId, notice, from })
}
