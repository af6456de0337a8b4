import type { PasskeyProof } from '@portico/contract/passkeys'
import {
  lockPersonDetails,
  type PasskeyRow,
  type PersonDetails,
  selectPasskeyByCredential,
  selectPersonById,
  updatePasskeyUsed,
} from '#persons'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { enqueueSecurityEmail } from '../emails/security-emails.service.ts'
import { attemptWithPasskey, hasSignedInFrom, requireUnlocked } from '../lockout/lockout.service.ts'
import { recordingFailure, signInFacts } from '../sign-in-audit.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'
import { completeSignIn, requireChosenPassword, type SignedIn } from '../sign-in.service.ts'
import { newChallenge, takeChallenge } from './challenges.ts'
import { requireRelyingParty } from './relying-party.ts'
import { verifyProof } from './signatures.ts'
import { recordForPerson } from '#access'

type Sent = { token: string; passkey: PasskeyProof }

/** A passkey that was shown, as it is after this use. */
type Shown = { person: PersonDetails; passkey: PasskeyRow; counter: number; isSynced: boolean }

/** Returns a challenge for any passkey of the portal. Throws not_found where browsers allow none. */
export async function beginPasskeySignIn(
  config: SignInDeps['config'],
): Promise<{ token: string; challenge: string; rpId: string }> {
  const { id: rpId } = requireRelyingParty(config)
  return { ...newChallenge(config, 'sign in'), rpId }
}

/**
 * Signs in with a passkey alone. Its authenticator has verified the person, so it counts as both factors: no code is
 * asked for. Everything else is as after a password (`completeSignIn`).
 * @throws wrong_credentials, with one message for whatever is wrong about the passkey; too_many_attempts, also while the
 * person's password is locked; password_temporary, no_account, outside_limits
 */
export async function signInWithPasskey(deps: SignInDeps, sent: Sent, from: Origin): Promise<SignedIn> {
  const { db } = deps.database
  const whose = { email: '' }
  return recordingFailure(
    deps,
    () => whose.email,
    from,
    async () => {
      const credentialId = sent.passkey.id
      const isKnown = () => isKnownPlace(db, credentialId, from.address)
      const shown = await attemptWithPasskey(db, { credentialId, address: from.address }, isKnown, () =>
        judge(deps, sent, from, whose),
      )
      if (!shown) throw refused()
      const { person, passkey } = shown
      const take = (tx: Db): Promise<void> => recordUse(tx, shown)
      await requireChosenPassword(deps, person, take)
      return { isTwoFactor: false, ...(await completeSignIn(deps, { ...person, passkey }, from, take)) }
    },
  )
}

/** One message, so that it does not tell which passkeys exist. */
const refused = (): AppError =>
  new AppError('wrong_credentials', undefined, 'This passkey was not accepted. Sign in with your password.')

async function isKnownPlace(db: Db, credentialId: string, address: string): Promise<boolean> {
  const passkey = await selectPasskeyByCredential(db, credentialId)
  return passkey !== null && hasSignedInFrom(db, passkey.personId, address)
}

/** Null if anything about the passkey is wrong. Sets `whose` as soon as its person is known. */
async function judge(
  deps: SignInDeps,
  { token, passkey: proof }: Sent,
  from: Origin,
  whose: { email: string },
): Promise<Shown | null> {
  const { db } = deps.database
  const party = requireRelyingParty(deps.config)
  const taken = await takeChallenge(db, deps.config, token, 'sign in')
  if (taken === 'expired') throw new AppError('wrong_credentials', undefined, 'This took too long. Try again.')
  const passkey = await selectPasskeyByCredential(db, proof.id)
  const person = passkey && (await selectPersonById(db, passkey.personId))
  if (taken === null || !passkey || !person) return null
  whose.email = person.email
  await requireUnlocked(db, { email: person.email, address: from.address })
  const signed = await verifyProof(proof, passkey, { party, ...taken })
  if (!signed || passkey.handle !== proof.userHandle) return null
  if (!hasGrown(passkey.counter, signed.counter)) {
    await recordCopy(deps, person, passkey, from)
    return null
  }
  return { person, passkey, ...signed }
}

/** An authenticator that counts its signatures gives each a higher number; one that does not always gives 0. */
const hasGrown = (before: number, now: number): boolean => now > before || (now === 0 && before === 0)

/** Two authenticators with one key count separately: the passkey was copied, by its owner or by a thief. */
async function recordCopy(
  { database, jobs }: SignInDeps,
  { id, email }: PersonDetails,
  { name }: PasskeyRow,
  from: Origin,
): Promise<void> {
  const { details, ...facts } = signInFacts(email, from)
  const line = { ...facts, action: 'passkey refused', details: { ...details, name, reason: 'Its counter went back.' } }
  await inTransaction(database.db, async (tx) => {
    await recordForPerson(tx, id, line)
    await enqueueSecurityEmail(tx, jobs, { personId: id, notice: 'passkey copied', from })
  })
}

/** Checking takes a while: in the meantime, the passkey may have been removed, or used with a higher number. */
async function recordUse(tx: Db, { person, passkey, counter, isSynced }: Shown): Promise<void> {
  await lockPersonDetails(tx, person.id)
  if (!(await updatePasskeyUsed(tx, passkey.id, { counter, isSynced, at: new Date() }))) throw refused()
}
