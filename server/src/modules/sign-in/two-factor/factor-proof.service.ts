import { selectPersonById } from '#persons'
import { invalidField } from '#platform/app-error.ts'
import { messages } from '@portico/contract/messages'
import type { Caller } from '#platform/http/context.ts'
import { requireShownPasskey } from '../passkeys/shown-passkey.ts'
import { type OwnPassword, requireOwnPassword } from '../passwords/own-password.service.ts'
import type { Origin, SignInDeps } from '../sign-in-deps.ts'
import { attemptCode } from './two-factor-codes.service.ts'

type Deps = Pick<SignInDeps, 'database' | 'jobs' | 'config'>
type Self = Pick<Caller, 'personId' | 'email' | 'sessionId'>

/** `code`: of the authenticator app, or a recovery code; only with two-factor on. */
export type FactorProof = { password: string; code?: string | undefined }

/**
 * Requires what a change of the caller's factors takes, as an open session proves none of it: the password, and a code
 * if two-factor is on, or else a session in which one of their passkeys was shown, if they have any. The transaction of
 * the change must then call `lockOwnPassword`.
 * @throws invalid_input at `password` or `code`; too_many_attempts; not_allowed
 */
export async function requireFactors(
  deps: Deps,
  self: Self,
  { password, code = '' }: FactorProof,
  from: Origin,
): Promise<OwnPassword> {
  const { db } = deps.database
  const hasTwoFactor = Boolean((await selectPersonById(db, self.personId))?.twoFactorSince)
  if (hasTwoFactor && !code) throw invalidField('code', messages.required)
  const own = await requireOwnPassword(deps, self, { field: 'password', password }, from)
  if (hasTwoFactor) await requireCode(deps, self, code, from)
  else await requireShownPasskey(db, self)
  return own
}

/** @throws invalid_input at `code`; too_many_attempts */
export async function requireCode(deps: Deps, self: Self, code: string, from: Origin): Promise<void> {
  const isRight = await attemptCode(deps, { id: self.personId, email: self.email }, from, code)
  if (!isRight) throw invalidField('code', 'The code is wrong or has already been used.')
}
