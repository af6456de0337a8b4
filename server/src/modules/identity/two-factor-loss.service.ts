import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { updateOwnImpersonationsRevoked, updateSessionsRevoked } from './own-sessions.queries.ts'
import { recordForPerson } from './person-audit.service.ts'
import { selectPerson } from './persons.queries.ts'
import { deleteRecoveryCodes, selectTwoFactor, updateTwoFactorOff } from './two-factor.queries.ts'

/**
 * Turns two-factor off for somebody who has lost both the telephone and the recovery codes: the operator's act, who has
 * made sure that it is them (ADR 0020). All their sessions and links end; the password stays. Throws `not_found`, also
 * where two-factor is not on.
 */
export async function dropTwoFactor(db: Db, email: string, by: Actor): Promise<{ email: string; ended: number }> {
  return inTransaction(db, async (tx) => {
    const person = await selectPerson(tx, email)
    const state = person && (await selectTwoFactor(tx, person.id))
    if (!person || !state?.since) throw new AppError('not_found', undefined, `Two-factor is not on for ${email}.`)
    await updateTwoFactorOff(tx, person.id)
    await deleteRecoveryCodes(tx, person.id)
    const at = new Date()
    const ended = await updateSessionsRevoked(tx, person.id, null, at)
    await updateOwnImpersonationsRevoked(tx, person.id, at)
    await recordForPerson(tx, person.id, { ...by, action: 'two-factor turned off', subject: person.email })
    return { email: person.email, ended }
  })
}
