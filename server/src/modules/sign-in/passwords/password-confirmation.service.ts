import { selectPasswordConfirmedAt, updatePasswordConfirmedAt } from '../sessions/sessions.queries.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { requireOwnPassword } from './own-password.service.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'

// Long enough for what one came to do, too short for whoever finds the browser open.
const confirmedForMs = 15 * 60_000

/** Notes that whoever sits at the session knows the password. Throws `too_many_attempts`. */
export async function confirmPassword(
  deps: Pick<SignInDeps, 'database'>,
  self: Pick<Caller, 'personId' | 'email' | 'sessionId'>,
  { password }: { password: string },
  from: Origin,
): Promise<null> {
  await requireOwnPassword(deps, self, { field: 'password', password }, from)
  await updatePasswordConfirmedAt(deps.database.db, self.sessionId, new Date())
  return null
}

/**
 * Before what gives or takes a way in: the password was given lately, by signing in or again since. Programs have none.
 * Throws `password_needed`.
 */
export async function requireConfirmedPassword(
  db: Db,
  { kind, sessionId }: Pick<Caller, 'kind' | 'sessionId'>,
): Promise<void> {
  if (kind !== 'session') return
  const confirmedAt = await selectPasswordConfirmedAt(db, sessionId)
  if (confirmedAt === null || Date.now() - confirmedAt.getTime() > confirmedForMs) throw new AppError('password_needed')
}
