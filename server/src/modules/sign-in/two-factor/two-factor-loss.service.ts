import type { Actor } from '#platform/actor.ts'
import { deleteRecoveryCodes } from './recovery-codes.queries.ts'
import { updateSessionsRevoked } from '../sessions/sessions.queries.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { deleteSecondSteps } from './second-steps.queries.ts'
import { recordForPerson } from '#access'
import { revokeLinksOf } from '#credentials'
import { lockPersonDetails, selectPerson, selectTwoFactor, updateTwoFactorOff } from '#persons'
import { removePasskeys } from '../passkeys/passkey-loss.service.ts'

/**
 * Turns two-factor off and removes all passkeys of a person who has lost them with the recovery codes. For operators,
 * after verifying the person (ADR 0020). All sessions and links of the person end; the password stays.
 * @throws not_found, also if two-factor is not on and there are no passkeys
 */
export async function dropTwoFactor(
  db: Db,
  email: string,
  by: Actor,
): Promise<{ email: string; ended: number; passkeys: number }> {
  return inTransaction(db, async (tx) => {
    const person = await selectPerson(tx, email)
    const state = person && (await selectTwoFactor(tx, person.id))
    if (person) await lockPersonDetails(tx, person.id)
    const passkeys = person ? await removePasskeys(tx, person, by) : 0
    if (!person || !(state?.since || passkeys > 0)) {
      throw new AppError('not_found', undefined, `Two-factor is not on for ${email}, and there are no passkeys.`)
    }
    await updateTwoFactorOff(tx, person.id)
    await deleteRecoveryCodes(tx, person.id)
    await deleteSecondSteps(tx, person.id)
    const ended = await updateSessionsRevoked(tx, person.id, null, new Date())
    await revokeLinksOf(tx, null, person.id)
    if (state?.since) {
      await recordForPerson(tx, person.id, { ...by, action: 'two-factor turned off', subject: person.email })
    }
    return { email: person.email, ended, passkeys }
  })
}
