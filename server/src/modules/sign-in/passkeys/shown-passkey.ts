import { selectHasPasskey } from '#persons'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { selectShowsPasskey } from '../sessions/sessions.queries.ts'

const passwordOnly =
  'You signed in with your password alone. Sign in with a passkey to do this. If you have lost yours, reset your password by email, which removes all passkeys.'

/**
 * Requires, of a person with passkeys and without two-factor, that one was shown in this session. Otherwise a stolen
 * password would be enough for a second factor of the thief's own, or to take away the person's.
 * @throws not_allowed with the way on
 */
export async function requireShownPasskey(
  db: Db,
  { personId, sessionId }: { personId: string; sessionId: string },
): Promise<void> {
  if (!(await selectHasPasskey(db, personId)) || (await selectShowsPasskey(db, sessionId))) return
  throw new AppError('not_allowed', undefined, passwordOnly)
}
