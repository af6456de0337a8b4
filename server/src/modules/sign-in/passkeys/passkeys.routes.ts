import { passkeysApi } from '@portico/contract/passkeys'
import type { FastifyInstance } from 'fastify'
import { createTokens } from '#credentials'
import { serve } from '#platform/http/serving.ts'
import type { SignInServices } from '../sign-in-deps.ts'
import { beginPasskeySignIn, signInWithPasskey } from './passkey-sign-in.service.ts'
import { addPasskey, beginPasskey, listPasskeys, removePasskey, renamePasskey } from './passkeys.service.ts'

/** Routes for signing in with a passkey, and for the caller's own passkeys. */
export function passkeyRoutes(app: FastifyInstance, services: SignInServices) {
  const deps = { ...services, tokens: createTokens(services.config.secretKey) }
  serve(app, passkeysApi.beginPasskeySignIn, () => beginPasskeySignIn(services.config))
  serve(app, passkeysApi.signInWithPasskey, (from, { body }) => signInWithPasskey(deps, body, from))
  serve(app, passkeysApi.listPasskeys, ({ db, caller }) => listPasskeys(db, caller.personId))
  serve(app, passkeysApi.beginPasskey, (from, { body }) => beginPasskey(deps, from.caller, body, from))
  serve(app, passkeysApi.addPasskey, (from, { body }) => addPasskey(deps, from.caller, body, from))
  serve(app, passkeysApi.renamePasskey, ({ db, caller, actor }, { id, body }) =>
    renamePasskey(db, caller, { id, ...body }, actor),
  )
  serve(app, passkeysApi.removePasskey, (from, { id, body }) =>
    removePasskey(deps, from.caller, { id, proof: body }, from),
  )
}
