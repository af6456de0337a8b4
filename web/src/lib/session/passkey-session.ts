import { isSameCaller } from '@portico/contract/email-address'
import type { passkeysApi } from '@portico/contract/passkeys'
import { ApiError } from '#lib/api/api-error.ts'
import { call, type RouteLine } from '#lib/api/api.ts'
import { shellRoutes } from '#lib/api/shell-routes.ts'
import type { PasskeyAnswer } from '#lib/passkeys.ts'
import { beginSession } from './session.ts'
import { goOn } from './session-again.ts'
import { currentSession } from './session-store.ts'

const signIn: RouteLine<(typeof passkeysApi)['signInWithPasskey']> = {
  method: 'POST',
  path: '/identity/v1/passkey-login',
  access: 'public',
}

/** Signs in with a passkey, which asks for no code. */
export async function signInWithPasskey(answer: PasskeyAnswer): Promise<void> {
  await beginSession(await call(signIn, { body: answer }))
}

/**
 * Signs the person of a locked page in again; they continue where they were.
 * @throws {ApiError} if the passkey is another person's, or they may no longer enter the account
 */
export async function signInAgainWithPasskey(answer: PasskeyAnswer): Promise<void> {
  const session = currentSession()
  if (session.state !== 'locked') return
  const { token, user } = await call(signIn, { body: answer })
  if (isSameCaller(user.email, session.user.email)) return goOn(token)
  await call(shellRoutes.logout, {}, { token }).catch(() => undefined)
  throw new ApiError('wrong_credentials', `This is a passkey of ${user.email}. Use one of ${session.user.email}.`)
}
