import { identitiesApi } from '@portico/contract/identities'
import { ownIdentitiesApi } from '@portico/contract/own-identities'
import type { FastifyInstance } from 'fastify'
import { administratorOf, selfOf } from '#access'
import type { Services } from '#platform/services.ts'
import { serve } from '#platform/http/serving.ts'
import { checksOf, type SignInChecks } from './credential-checks.ts'
import { changeCredential, opensWay } from './credentials.service.ts'
import { changeOwnCredential, listOwnCredentials } from './own-credentials.service.ts'
import { impersonationRoutes } from './impersonations.routes.ts'

export function credentialRoutes(
  app: FastifyInstance,
  { config, database }: Pick<Services, 'config' | 'database'>,
  checks: SignInChecks,
): void {
  const { requireConfirmedPassword } = checks
  serve(app, identitiesApi.changeCredential, async (context, { id, action, credentialId, body }) => {
    // A secret gives access long after the session has ended.
    if (opensWay(action)) await requireConfirmedPassword(context.db, context.caller)
    const change = { action, credential: credentialId, draft: body }
    return changeCredential(context.db, await administratorOf(context), id, {
      ...change,
      checks: checksOf(checks, database, context),
    })
  })
  serve(app, ownIdentitiesApi.listOwnCredentials, ({ db, caller }) => listOwnCredentials(db, caller.personId))
  serve(app, ownIdentitiesApi.changeOwnCredential, async (context, { id, action, credentialId, body }) => {
    const { db, caller, actor: by } = context
    if (opensWay(action)) await requireConfirmedPassword(db, caller)
    const change = { action, credential: credentialId, draft: body, by }
    return changeOwnCredential(db, selfOf(context), id, { ...change, checks: checksOf(checks, database, context) })
  })
  impersonationRoutes(app, { config }, checks)
}
