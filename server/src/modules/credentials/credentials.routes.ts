import { identitiesApi } from '@portico/contract/identities'
import { ownIdentitiesApi } from '@portico/contract/own-identities'
import type { FastifyInstance } from 'fastify'
import { administratorOf, selfOf } from '#access'
import type { Config } from '#platform/config.ts'
import { serve } from '#platform/http/serving.ts'
import { changeCredential } from './credentials.service.ts'
import { changeOwnCredential, listOwnCredentials } from './own-credentials.service.ts'
import { impersonationRoutes } from './impersonations.routes.ts'
import type { StepUp } from './step-up.ts'

export function credentialRoutes(
  app: FastifyInstance,
  { config }: { config: Pick<Config, 'secretKey'> },
  requireConfirmedPassword: StepUp,
): void {
  serve(app, identitiesApi.changeCredential, async (context, { id, action, credentialId, body }) => {
    // A secret gives access long after the session has ended.
    if (action === 'addapi') await requireConfirmedPassword(context.db, context.caller)
    return changeCredential(context.db, await administratorOf(context), id, {
      action,
      credential: credentialId,
      draft: body,
    })
  })
  serve(app, ownIdentitiesApi.listOwnCredentials, ({ db, caller }) => listOwnCredentials(db, caller.personId))
  serve(app, ownIdentitiesApi.changeOwnCredential, async (context, { id, action, credentialId, body }) => {
    const { db, caller, actor: by } = context
    if (action === 'addapi') await requireConfirmedPassword(db, caller)
    return changeOwnCredential(db, selfOf(context), id, { action, credential: credentialId, draft: body, by })
  })
  impersonationRoutes(app, { config }, requireConfirmedPassword)
}
