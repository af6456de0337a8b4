import { recordRepeated } from '#audit'
import { type AppError, invalidField, sessionEnded } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'
import { attempt } from '../lockout/lockout.service.ts'
import { signInFacts } from '../sign-in-audit.ts'
import { isPasswordOf } from './passwords.ts'
import { lockPersonDetails, type PersonDetails, selectPersonById } from '#persons'
import { selectIsActive } from '../sessions/sessions.queries.ts'

/** A password that was correct in a session, with the hash it was compared with. `field`: where it was sent. */
export type OwnPassword = { personId: string; sessionId: string; field: string; passwordHash: string }

/**
 * Requires the caller's password. A wrong one counts as a failed sign-in and is in the audit log; it is reported as an
 * invalid field, not as 401, which would sign a browser out. The transaction of the change must then call
 * `lockOwnPassword`.
 * @throws too_many_attempts
 */
export async function requireOwnPassword(
  { database: { db }, jobs }: Pick<SignInDeps, 'database' | 'jobs'>,
  { personId, email, sessionId }: { personId: string; email: string; sessionId: string },
  { field, password }: { field: string; password: string },
  from: Origin,
): Promise<OwnPassword> {
  const passwordHash = await attempt({ db, jobs }, { email, ...from }, async () => {
    const known = (await selectPersonById(db, personId))?.passwordHash ?? null
    return (await isPasswordOf(known, password)) ? known : null
  })
  if (passwordHash !== null) return { personId, sessionId, field, passwordHash }
  await recordRepeated(db, { ...signInFacts(email, from), account: null, action: 'password refused' })
  throw wrongPassword(field)
}

/**
 * Locks the person when the password takes effect. Checking it takes a while and may wait in a queue: in the meantime,
 * the password may have been replaced, or the session ended.
 */
export async function lockOwnPassword(tx: Db, own: OwnPassword): Promise<PersonDetails> {
  const person = await lockPersonDetails(tx, own.personId)
  if (person?.passwordHash !== own.passwordHash) throw wrongPassword(own.field)
  await requireActive(tx, own)
  return person
}

/** Throws `not_signed_in` for a session that has ended. */
export async function requireActive(tx: Db, { sessionId }: { sessionId: string }): Promise<void> {
  if (!(await selectIsActive(tx, sessionId, new Date()))) throw sessionEnded()
}

const wrongPassword = (field: string): AppError => invalidField(field, 'The password is wrong.')
