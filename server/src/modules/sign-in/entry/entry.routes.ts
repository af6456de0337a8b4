import { signInApi } from '@portico/contract/sign-in'
import type { FastifyInstance } from 'fastify'
import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/database.ts'
import { serve } from '#platform/http/serving.ts'
import { enterAccount, listOwnAccounts, listPolicies, logOut } from './entry.service.ts'
import { createTokens } from '#credentials'

/** Routes for choosing an account and reading the caller's permissions there. */
export function entryRoutes(app: FastifyInstance, { config, database }: { config: Config; database: Database }) {
  const tokens = createTokens(config.secretKey)
  serve(app, signInApi.chooseAccount, ({ caller, ...from }, { account }) =>
    enterAccount(database, tokens, caller, { account, from: { ...from, caller } }),
  )
  serve(app, signInApi.getUser, async ({ caller }) => caller.user())
  serve(app, signInApi.listModules, async () => config.moduleUrls)
  serve(app, signInApi.logout, async (context) => {
    await logOut(database, context.caller, context)
    return null
  })
  serve(app, signInApi.listAccounts, ({ caller, address }) => listOwnAccounts(database, caller, address))
  // Clients send the parent in the path; it is redundant and ignored.
  serve(app, signInApi.getPolicies, ({ caller, address }, { account, email }) =>
    listPolicies(database, caller, { account, email, address }),
  )
}
