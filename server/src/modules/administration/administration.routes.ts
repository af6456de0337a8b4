import { accountsApi } from '@portico/contract/accounts'
import { identitiesApi } from '@portico/contract/identities'
import { policiesApi } from '@portico/contract/policies'
import { preferencesApi } from '@portico/contract/preferences'
import type { FastifyInstance } from 'fastify'
import { createTokens, requireGivenPassword } from '#identity'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { selectPreferences } from './accounts.queries.ts'
import { addPowerUser, changeAccount, listAccountDetails, openAccount } from './accounts.service.ts'
import { administratorOf } from './administrator.ts'
import { changeCredential } from './credentials.service.ts'
import { changeGroup, createGroup, deleteGroup, listGroups } from './groups.service.ts'
import {
  changeIdentity,
  createIdentity,
  deleteIdentity,
  endSessions,
  inviteAgain,
  listIdentities,
} from './identities.service.ts'
import { impersonationRoutes } from './impersonations.routes.ts'
import { changePolicy, createPolicy, deletePolicy, listPolicies } from './policies.service.ts'
import { setPreferences } from './preferences.service.ts'

type RouteServices = Pick<Services, 'config' | 'database' | 'jobs'>

export function administrationRoutes(app: FastifyInstance, services: RouteServices): void {
  policyRoutes(app)
  groupRoutes(app)
  identityRoutes(app, services)
  impersonationRoutes(app, services)
  preferenceRoutes(app, services)
  accountRoutes(app, services)
}

function policyRoutes(app: FastifyInstance): void {
  serve(app, policiesApi.listPolicies, async (context, { isAdmin }) => {
    const policies = await listPolicies(context.db, await administratorOf(context))
    return policies.filter(isWanted(isAdmin))
  })
  serve(app, policiesApi.createPolicy, async (context, { body }) =>
    createPolicy(context.db, await administratorOf(context), body),
  )
  serve(app, policiesApi.updatePolicy, async (context, { id, body }) =>
    changePolicy(context.db, await administratorOf(context), id, body),
  )
  serve(app, policiesApi.deletePolicy, async (context, { id }) => {
    await deletePolicy(context.db, await administratorOf(context), id)
    return null
  })
}

/** By what older clients ask for. */
function isWanted(isAdmin: 'true' | 'false' | undefined) {
  return (item: { isAdmin: boolean }): boolean => isAdmin === undefined || item.isAdmin === (isAdmin === 'true')
}

function groupRoutes(app: FastifyInstance): void {
  serve(app, policiesApi.listGroups, async (context, { isAdmin }) => {
    const groups = await listGroups(context.db, await administratorOf(context))
    return groups.filter(isWanted(isAdmin))
  })
  serve(app, policiesApi.createGroup, async (context, { body }) =>
    createGroup(context.db, await administratorOf(context), body),
  )
  serve(app, policiesApi.updateGroup, async (context, { id, body }) =>
    changeGroup(context.db, await administratorOf(context), id, body),
  )
  serve(app, policiesApi.deleteGroup, async (context, { id }) => {
    await deleteGroup(context.db, await administratorOf(context), id)
    return null
  })
}

function identityRoutes(app: FastifyInstance, { jobs }: RouteServices): void {
  serve(app, identitiesApi.listIdentities, async (context) =>
    listIdentities(context.db, await administratorOf(context)),
  )
  serve(app, identitiesApi.createIdentity, async (context, { body }) =>
    createIdentity({ db: context.db, jobs }, await administratorOf(context), body),
  )
  serve(app, identitiesApi.updateIdentity, async (context, { id, body }) =>
    changeIdentity({ db: context.db, jobs }, await administratorOf(context), id, body),
  )
  serve(app, identitiesApi.deleteIdentity, async (context, { id }) => {
    await deleteIdentity(context.db, await administratorOf(context), id)
    return null
  })
  serve(app, identitiesApi.endIdentitySessions, async (context, { id }) =>
    endSessions(context.db, await administratorOf(context), id),
  )
  serve(app, identitiesApi.changeCredential, async (context, { id, action, credentialId }) => {
    // A secret lets in long after the session has ended.
    if (action === 'addapi') await requireGivenPassword(context.db, context.caller)
    return changeCredential(context.db, await administratorOf(context), id, { action, credential: credentialId })
  })
  serve(app, identitiesApi.inviteIdentity, async (context, { id }) => {
    await inviteAgain({ db: context.db, jobs }, await administratorOf(context), id)
    return null
  })
}

function preferenceRoutes(app: FastifyInstance, { config }: RouteServices): void {
  const tokens = createTokens(config.secretKey)
  serve(app, preferencesApi.getAccountPreference, ({ db, account }) => selectPreferences(db, account))
  serve(app, preferencesApi.setAccountPreference, async (context, { body }) => ({
    Result: await setPreferences(context, tokens, body),
  }))
}

function accountRoutes(app: FastifyInstance, { database, jobs }: RouteServices): void {
  serve(app, accountsApi.listAccountDetails, ({ db }) => listAccountDetails(db))
  serve(app, accountsApi.createAccount, ({ actor }, { body }) => openAccount({ database, jobs }, body, actor))
  serve(app, accountsApi.updateAccount, ({ db, actor }, { id, body }) => changeAccount(db, id, body, actor))
  serve(app, accountsApi.addPowerUser, ({ db, actor }, { id, body }) =>
    addPowerUser({ db, jobs }, id, body.email, actor),
  )
}
