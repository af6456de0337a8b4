import { impersonationApi } from '@portico/contract/impersonation'
import type { FastifyInstance } from 'fastify'
import type { SignInChecks } from './credential-checks.ts'
import { createTokens } from './tokens.ts'
import {
  revokeImpersonation,
  startImpersonation,
  chosenPolicies,
  listImpersonations,
} from './impersonations.service.ts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import { serve } from '#platform/http/serving.ts'

export function impersonationRoutes(
  app: FastifyInstance,
  { config: { secretKey } }: { config: Pick<Config, 'secretKey'> },
  { requireConfirmedPassword, tellOwner }: Pick<SignInChecks, 'requireConfirmedPassword' | 'tellOwner'>,
): void {
  const tokens = createTokens(secretKey)
  const start = async (context: AccountContext, address: string, seconds: number, policies: string[] | null) => {
    const { db, account, callerNow, actor, address: from, device } = context
    // A link still gives access after the session has ended.
    await requireConfirmedPassword(db, context.caller)
    const tell = (tx: Db, personId: string) =>
      tellOwner(tx, personId, 'impersonation link created', { address: from, device })
    const caller = { ...context.caller, account, now: callerNow, tell }
    return { token: await startImpersonation(db, tokens, caller, { address, seconds, policies }, actor) }
  }
  serve(app, impersonationApi.impersonate, (context, { ip, expirySeconds }) => start(context, ip, expirySeconds, null))
  serve(app, impersonationApi.impersonateWithPolicies, (context, { ip, expirySeconds, policies }) =>
    start(context, ip, expirySeconds, chosenPolicies(policies, context.caller.user().policies)),
  )
  serve(app, impersonationApi.listImpersonations, ({ db, account }) => listImpersonations(db, account))
  serve(app, impersonationApi.revokeImpersonation, async ({ db, account, actor }, { id }) => {
    await revokeImpersonation(db, account, id, actor)
    return null
  })
}
