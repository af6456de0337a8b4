import { signInApi } from '@portico/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { SignInServices } from './sign-in-deps.ts'
import { entryRoutes } from './entry/entry.routes.ts'
import { ownAccountRoutes } from './own-account/own-account.routes.ts'
import { passkeyRoutes } from './passkeys/passkeys.routes.ts'
import { relyingPartyOf } from './passkeys/relying-party.ts'
import { signIn, signInWithCode } from './sign-in.service.ts'
import { createTokens } from '#credentials'

export function signInRoutes(app: FastifyInstance, services: SignInServices) {
  const { config, database } = services
  const { company, product, helpUrl, moduleUrls } = config
  const passkeyOrigin = relyingPartyOf(config.publicUrl)?.origin ?? null
  const deployment = { company, product, helpUrl, modules: Object.keys(moduleUrls), passkeyOrigin }
  const deps = { ...services, tokens: createTokens(config.secretKey) }
  serve(app, signInApi.getDeployment, async () => deployment)
  serve(app, signInApi.login, (from, { body }) =>
    'code' in body ? signInWithCode(deps, body, from) : signIn(deps, body, from),
  )
  passkeyRoutes(app, services)
  ownAccountRoutes(app, services)
  entryRoutes(app, { config, database })
}
