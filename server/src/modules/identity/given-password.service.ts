import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { selectPasswordGivenAt, updatePasswordGivenAt } from './given-password.queries.ts'
import { requireOwnPassword } from './own-password.service.ts'
import type { Origin, SignInDeps } from './sign-in-deps.ts'

// Long enough for what one came to do, too short for whoever finds the browser open.
const givenForMs = 15 * 60_000

/** Notes that whoever sits at the session knows the password. Throws `too_many_attempts`. */
export async function givePassword(
  deps: Pick<SignInDeps, 'database'>,
  self: Pick<Caller, 'personId' | 'email' | 'sessionId'>,
  { password }: { password: string },
  from: Origin,
): Promise<null> {
  await requireOwnPassword(deps, self, { field: 'password', password }, from)
  await updatePasswordGivenAt(deps.database.db, self.sessionId, new Date())
  return null
}

/**
 * Before what gives or takes a way in: the password was given lately, by signing in or again since. Programs have none.
 * Throws `password_needed`.
 */
export async function requireGivenPassword(
  db: Db,
  { kind, sessionId }: Pick<Caller, 'kind' | 'sessionId'>,
): Promise<void> {
  if (kind !== 'session') return
  const givenAt = await selectPasswordGivenAt(db, sessionId)
  if (givenAt === null || Date.now() - givenAt.getTime() > givenForMs) throw new AppError('password_needed')
}
