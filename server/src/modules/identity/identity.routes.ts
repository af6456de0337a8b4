import { identityApi } from '@portico/contract/identity'
import type { FastifyInstance } from 'fastify'
import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/database.ts'
import { serve } from '#platform/http.ts'
import { endSession } from './sessions.service.ts'
import { enterAccount, listOwnAccounts, listPolicies, signIn } from './sign-in.service.ts'
import { createTokens } from './tokens.ts'

export function identityRoutes(app: FastifyInstance, { config, database }: { config: Config; database: Database }) {
  const { company, product, helpUrl } = config
  const tokens = createTokens(config.secretKey)
  serve(app, identityApi.getDeployment, async () => ({ company, product, helpUrl }))
  serve(app, identityApi.login, ({ address, device }, { body }) => signIn(database, tokens, body, { address, device }))
  serve(app, identityApi.chooseAccount, ({ caller }, { account }) => enterAccount(database, tokens, caller, account))
  serve(app, identityApi.logout, async ({ db, caller }) => {
    await endSession(db, caller.sessionId)
    return null
  })
  serve(app, identityApi.listAccounts, ({ caller }) => listOwnAccounts(database, caller))
  // The parent in the path says nothing that the account doesn't; clients send it, and it is not looked at.
  serve(app, identityApi.getPolicies, ({ caller }, { account, email }) =>
    listPolicies(database, caller, account, email),
  )
}
