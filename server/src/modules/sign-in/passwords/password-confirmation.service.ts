import { selectPasswordConfirmedAt, updatePasswordConfirmedAt } from '../sessions/sessions.queries.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { lockOwnPassword, requireOwnPassword } from './own-password.service.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'

// Long enough for a task, short enough to protect a browser that was left open.
const confirmedForMs = 15 * 60_000

/** Re-authenticates the person of the session with their password. Throws `too_many_attempts`. */
export async function confirmPassword(
  deps: Pick<SignInDeps, 'database' | 'jobs'>,
  self: Pick<Caller, 'personId' | 'email' | 'sessionId'>,
  { password }: { password: string },
  from: Origin,
): Promise<null> {
  const own = await requireOwnPassword(deps, self, { field: 'password', password }, from)
  await inTransaction(deps.database.db, async (tx) => {
    await lockOwnPassword(tx, own)
    await updatePasswordConfirmedAt(tx, self.sessionId, new Date())
  })
  return null
}

/**
 * Requires a recent re-authentication, by signing in or with `confirmPassword`, before a change of credentials.
 * Programs are exempt. Throws `password_needed`.
 */
export async function requireConfirmedPassword(
  db: Db,
  { kind, sessionId }: Pick<Caller, 'kind' | 'sessionId'>,
): Promise<void> {
  if (kind !== 'session') return
  const confirmedAt = await selectPasswordConfirmedAt(db, sessionId)
  if (confirmedAt === null || Date.now() - confirmedAt.getTime() > confirmedForMs) throw new AppError('password_needed')
}
