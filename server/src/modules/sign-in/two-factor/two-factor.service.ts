import { deleteRecoveryCodes } from './recovery-codes.queries.ts'
import { generateSecret, generateURI } from 'otplib'
import QRCode from 'qrcode'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { enqueueSecurityEmail } from '../emails/security-emails.service.ts'
import {
  lockOwnPassword,
  type OwnPassword,
  requireActive,
  requireOwnPassword,
} from '../passwords/own-password.service.ts'
import { recordForPerson } from '#access'
import { revokeLinksOf } from '#credentials'
import { updateSessionsRevoked } from '../sessions/sessions.queries.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'
import { makeRecoveryCodes, replaceRecoveryCodes, twoFactorSecrets } from './two-factor-codes.service.ts'
import {
  lockPersonDetails,
  selectTwoFactor,
  updateTwoFactorOff,
  updateTwoFactorOn,
  updateTwoFactorSecret,
} from '#persons'
import { requireCode } from './factor-proof.service.ts'
import { requireShownPasskey } from '../passkeys/shown-passkey.ts'
import { deleteSecondSteps } from './second-steps.queries.ts'
import type { SecurityEvent } from '../emails/emails.ts'

type Deps = Pick<SignInDeps, 'database' | 'jobs' | 'config'>
type Self = Pick<Caller, 'personId' | 'email' | 'sessionId'>

/**
 * Returns a new secret, which takes effect once one of its codes is confirmed.
 * @throws name_taken if two-factor is on; as `requireShownPasskey`
 */
export async function setUpTwoFactor(
  deps: Deps,
  self: Self,
  { password }: { password: string },
  from: Origin,
): Promise<{ secret: string; uri: string; qrCode: string }> {
  const { db } = deps.database
  const own = await requireOwnPassword(deps, self, { field: 'password', password }, from)
  await requireShownPasskey(db, self)
  const secret = generateSecret()
  const sealed = twoFactorSecrets(deps.config).seal(secret, self.personId)
  await inTransaction(db, async (tx) => {
    await lockOwnPassword(tx, own)
    if (await updateTwoFactorSecret(tx, self.personId, sealed)) return
    throw new AppError('name_taken', undefined, 'Two-factor is already on. Turn it off first to use another app.')
  })
  // A colon would end the issuer within the label.
  const issuer = deps.config.product.replaceAll(':', ' ')
  const uri = generateURI({ issuer, label: self.email, secret })
  const svg = await QRCode.toString(uri, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' })
  const qrCode = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  return { secret: (secret.match(/.{1,4}/g) ?? []).join(' '), uri, qrCode }
}

/**
 * Turns two-factor on if the code belongs to the secret that was set up, and ends all access obtained without a code:
 * the person's other sessions, and their impersonation links. Returns the recovery codes.
 */
export async function confirmTwoFactor(
  deps: Deps,
  self: Self,
  { code }: { code: string },
  from: Origin,
): Promise<{ recoveryCodes: string[] }> {
  const { db } = deps.database
  const state = await selectTwoFactor(db, self.personId)
  if (!state?.secret || state.since) throw invalidField('code', 'Set up two-factor first.')
  await requireCode(deps, self, code, from)
  const { codes, hashes } = await makeRecoveryCodes(deps.config, self.personId)
  await inTransaction(db, async (tx) => {
    await lockPersonDetails(tx, self.personId)
    await requireActive(tx, self)
    await requireShownPasskey(tx, self)
    // The code was checked against `state.secret`, which may have been replaced since.
    if ((await selectTwoFactor(tx, self.personId))?.secret !== state.secret) {
      throw invalidField('code', 'Set up two-factor first.')
    }
    if (!(await updateTwoFactorOn(tx, self.personId, new Date()))) {
      throw invalidField('code', 'Two-factor was turned on a moment ago.')
    }
    await updateSessionsRevoked(tx, self.personId, self.sessionId, new Date())
    await revokeLinksOf(tx, null, self.personId)
    await recordAndNotify(tx, deps, self, from, 'two-factor turned on')
    await replaceRecoveryCodes(tx, self.personId, hashes)
  })
  return { recoveryCodes: codes }
}

/** Returns ten new recovery codes, which replace the previous ones. */
export async function renewRecoveryCodes(
  deps: Deps,
  self: Self,
  proof: { password: string; code: string },
  from: Origin,
): Promise<{ recoveryCodes: string[] }> {
  await requireOn(deps, self)
  const own = await requireProof(deps, self, proof, from)
  const { codes, hashes } = await makeRecoveryCodes(deps.config, self.personId)
  await inTransaction(deps.database.db, async (tx) => {
    await lockProof(tx, own)
    await recordAndNotify(tx, deps, self, from, 'recovery codes renewed')
    await replaceRecoveryCodes(tx, self.personId, hashes)
  })
  return { recoveryCodes: codes }
}

export async function turnTwoFactorOff(
  deps: Deps,
  self: Self,
  proof: { password: string; code: string },
  from: Origin,
): Promise<null> {
  await requireOn(deps, self)
  const own = await requireProof(deps, self, proof, from)
  await inTransaction(deps.database.db, async (tx) => {
    await lockProof(tx, own)
    await updateTwoFactorOff(tx, self.personId)
    await deleteRecoveryCodes(tx, self.personId)
    await deleteSecondSteps(tx, self.personId)
    await recordAndNotify(tx, deps, self, from, 'two-factor turned off')
  })
  return null
}

async function requireOn({ database }: Deps, { personId }: Self): Promise<void> {
  const state = await selectTwoFactor(database.db, personId)
  if (!state?.since) throw notOn()
}

const notOn = (): AppError => invalidField('code', 'Two-factor is not on.')

/** Locks the person, and requires that the password is still theirs and two-factor is on. */
async function lockProof(tx: Db, own: OwnPassword): Promise<void> {
  if (!(await lockOwnPassword(tx, own)).twoFactorSince) throw notOn()
}

/** Requires password and code: an open session proves neither. */
async function requireProof(
  deps: Deps,
  self: Self,
  { password, code }: { password: string; code: string },
  from: Origin,
): Promise<OwnPassword> {
  const own = await requireOwnPassword(deps, self, { field: 'password', password }, from)
  await requireCode(deps, self, code, from)
  return own
}

async function recordAndNotify(
  tx: Db,
  { jobs }: Deps,
  { personId, email }: Self,
  from: Origin,
  notice: SecurityEvent,
): Promise<void> {
  const via = from.caller?.via
  const by = { actor: email, address: from.address, ...(via && { via }) }
  await recordForPerson(tx, personId, { ...by, action: notice, subject: email })
  await enqueueSecurityEmail(tx, jobs, { personId, notice, from })
}
