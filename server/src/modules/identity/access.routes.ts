import { explainApi } from '@portico/contract/explain'
import { identityApi } from '@portico/contract/identity'
import type { FastifyInstance } from 'fastify'
import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/database.ts'
import { serve } from '#platform/http/serving.ts'
import { explain } from './access-explanation.service.ts'
import { enterAccount, listOwnAccounts, listPolicies, logOut } from './account-entry.service.ts'
import { createTokens } from './tokens.ts'

/** What the caller may do, where, and why (not). */
export function accessRoutes(app: FastifyInstance, { config, database }: { config: Config; database: Database }) {
  const tokens = createTokens(config.secretKey)
  serve(app, identityApi.chooseAccount, ({ caller, address }, { account }) =>
    enterAccount(database, tokens, caller, { account, address }),
  )
  serve(app, identityApi.getUser, async ({ caller }) => caller.user())
  serve(app, identityApi.listModules, async () => config.moduleUrls)
  serve(app, identityApi.logout, async ({ caller }) => {
    await logOut(database, caller)
    return null
  })
  serve(app, identityApi.listAccounts, ({ caller, address }) => listOwnAccounts(database, caller, address))
  // The parent in the path says nothing that the account doesn't; clients send it, and it is not looked at.
  serve(app, identityApi.getPolicies, ({ caller, address }, { account, email }) =>
    listPolicies(database, caller, { account, email, address }),
  )
  serve(app, explainApi.explain, ({ caller, account, address }, question) =>
    explain(database, { caller, account, address }, question),
  )
}
