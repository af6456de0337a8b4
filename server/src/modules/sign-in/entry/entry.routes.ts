import { signInApi } from '@portico/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/database.ts'
import { serve } from '#platform/http/serving.ts'
import { enterAccount, listOwnAccounts, listPolicies, logOut } from './entry.service.ts'
import { createTokens } from '#credentials'

/** Choosing an account, and what the caller may do there. */
export function entryRoutes(app: FastifyInstance, { config, database }: { config: Config; database: Database }) {
  const tokens = createTokens(config.secretKey)
  serve(app, signInApi.chooseAccount, ({ caller, address }, { account }) =>
    enterAccount(database, tokens, caller, { account, address }),
  )
  serve(app, signInApi.getUser, async ({ caller }) => caller.user())
  serve(app, signInApi.listModules, async () => config.moduleUrls)
  serve(app, signInApi.logout, async ({ caller }) => {
    await logOut(database, caller)
    return null
  })
  serve(app, signInApi.listAccounts, ({ caller, address }) => listOwnAccounts(database, caller, address))
  // The parent in the path says nothing that the account doesn't; clients send it, and it is not looked at.
  serve(app, signInApi.getPolicies, ({ caller, address }, { account, email }) =>
    listPolicies(database, caller, { account, email, address }),
  )
}
