import { recordRepeated } from '#audit'
import { invalidField } from '#platform/app-error.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'
import { attempt } from '../lockout/lockout.service.ts'
import { signInFacts } from '../sign-in-audit.ts'
import { isPasswordOf } from './passwords.ts'
import { selectPersonById } from '#persons'

/**
 * Requires the caller's password. A wrong one counts as a failed sign-in and is in the audit log; it is reported as an
 * invalid field, not as 401, which would sign a browser out. Throws `too_many_attempts`.
 */
export async function requireOwnPassword(
  { database: { db }, jobs }: Pick<SignInDeps, 'database' | 'jobs'>,
  { personId, email }: { personId: string; email: string },
  { field, password }: { field: string; password: string },
  from: Origin,
): Promise<void> {
  const isRight = await attempt({ db, jobs }, { email, ...from }, async () => {
    const person = await selectPersonById(db, personId)
    return (await isPasswordOf(person?.passwordHash ?? null, password)) || null
  })
  if (isRight) return
  await recordRepeated(db, { ...signInFacts(email, from), account: null, action: 'password refused' })
  throw invalidField(field, 'The password is wrong.')
}
