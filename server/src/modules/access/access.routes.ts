import { accountsApi } from '@portico/contract/accounts'
import { explainApi } from '@portico/contract/explain'
import { identitiesApi } from '@portico/contract/identities'
import { ownIdentitiesApi } from '@portico/contract/own-identities'
import { policiesApi } from '@portico/contract/policies'
import { rightsApi } from '@portico/contract/rights'
import type { FastifyInstance } from 'fastify'
import type { Db } from '#platform/database.ts'
import type { AccountContext } from '#platform/http/context.ts'
import { serveStored } from '#platform/http/serving-stored.ts'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import {
  addPowerUser,
  changeAccountOf,
  findAccountDetails,
  type Inviter,
  listAccountDetails,
  openAccount,
} from './accounts/account-administration.service.ts'
import { administratorOf, selfOf } from './administrator.ts'
import { inviterOf } from './evaluator/caller.ts'
import type { StepUp } from './giving.ts'
import { explain } from './explanation/access-explanation.service.ts'
import { changeGroup, createGroup, deleteGroup, getGroup, listGroups } from './groups/groups.service.ts'
import {
  changeIdentity,
  createIdentity,
  deleteIdentity,
  getIdentity,
  listIdentities,
} from './identities/identities.service.ts'
import { findIdentitySave } from './identities/stored-identity.ts'
import { endSessions, inviteAgain } from './identities/identity-person.service.ts'
import type { IdentityEffects } from './identities/identity-effects.ts'
import { acceptInvitation, declineInvitation, listInvitations } from './invitations/invitations.service.ts'
import { peopleRoutes } from './people/people.routes.ts'
import { changePolicy, createPolicy, deletePolicy, getPolicy, listPolicies } from './policies/policies.service.ts'
import { policyEffects } from './rights/policy-effects.service.ts'
import { rightHolders, rightsOf } from './rights/rights.service.ts'

/** These calls judge many policies on the thread that answers others too. */
const judgingTurns = { atOnce: 2, each: 1, waiting: 4 }

type RouteServices = Pick<Services, 'database'>

export function accessRoutes(
  app: FastifyInstance,
  { database }: RouteServices,
  effects: IdentityEffects,
  requireConfirmedPassword: StepUp,
): void {
  policyRoutes(app, requireConfirmedPassword)
  groupRoutes(app, requireConfirmedPassword)
  identityRoutes(app, effects, requireConfirmedPassword)
  accountRoutes(app, { database }, effects, requireConfirmedPassword)
  invitationRoutes(app)
  peopleRoutes(app, effects, requireConfirmedPassword)
  serve(app, explainApi.explain, ({ caller, account, address }, question) =>
    explain(database, { caller, account, address }, question),
  )
  const inTurn = createFairQueue(judgingTurns)
  const queue = <T>({ caller, signal }: AccountContext, work: () => Promise<T>): Promise<T> =>
    inTurn(caller.personId, work, signal)
  serve(app, rightsApi.getRights, (context, question) => queue(context, () => rightsOf(database, context, question)))
  serve(app, rightsApi.listRightHolders, (context, question) =>
    queue(context, () => rightHolders(database, context, question)),
  )
  serve(app, rightsApi.previewPolicyEffects, (context, { id, body }) =>
    queue(context, () => policyEffects(database, context, id, body)),
  )
}

function policyRoutes(app: FastifyInstance, requireConfirmedPassword: StepUp): void {
  serve(app, policiesApi.listPolicies, async (context, { isAdmin }) => {
    const policies = await listPolicies(context.db, await administratorOf(context))
    return policies.filter(isWanted(isAdmin))
  })
  serve(app, policiesApi.getPolicy, async (context, { id }) =>
    getPolicy(context.db, await administratorOf(context), id),
  )
  serve(app, policiesApi.createPolicy, async (context, { body }) =>
    createPolicy(context.db, await administratorOf(context), body),
  )
  serve(app, policiesApi.updatePolicy, async (context, { id, body }) => {
    const beforeGiving = (tx: Db) => requireConfirmedPassword(tx, context.caller)
    return changePolicy({ db: context.db, beforeGiving }, await administratorOf(context), id, body)
  })
  serve(app, policiesApi.deletePolicy, async (context, { id }) => {
    await deletePolicy(context.db, await administratorOf(context), id)
    return null
  })
}

/** Whether the item passes the `isAdmin` filter that older clients send. */
function isWanted(isAdmin: 'true' | 'false' | undefined) {
  return (item: { isAdmin: boolean }): boolean => isAdmin === undefined || item.isAdmin === (isAdmin === 'true')
}

function groupRoutes(app: FastifyInstance, requireConfirmedPassword: StepUp): void {
  serve(app, policiesApi.listGroups, async (context, { isAdmin }) => {
    const groups = await listGroups(context.db, await administratorOf(context))
    return groups.filter(isWanted(isAdmin))
  })
  serve(app, policiesApi.getGroup, async (context, { id }) => getGroup(context.db, await administratorOf(context), id))
  serve(app, policiesApi.createGroup, async (context, { body }) =>
    createGroup(context.db, await administratorOf(context), body),
  )
  serve(app, policiesApi.updateGroup, async (context, { id, body }) => {
    const beforeGiving = (tx: Db) => requireConfirmedPassword(tx, context.caller)
    return changeGroup({ db: context.db, beforeGiving }, await administratorOf(context), id, body)
  })
  serve(app, policiesApi.deleteGroup, async (context, { id }) => {
    await deleteGroup(context.db, await administratorOf(context), id)
    return null
  })
}

// Rights given to another person outlive the session, as a secret does, so they need a recent password (ADR 0048).
function identityRoutes(app: FastifyInstance, effects: IdentityEffects, requireConfirmedPassword: StepUp): void {
  serve(app, identitiesApi.listIdentities, async (context) =>
    listIdentities({ db: context.db, effects }, await administratorOf(context)),
  )
  serve(app, identitiesApi.getIdentity, async (context, { id }) =>
    getIdentity({ db: context.db, effects }, await administratorOf(context), id),
  )
  serve(app, identitiesApi.createIdentity, async (context, { body }) => {
    await requireConfirmedPassword(context.db, context.caller)
    return createIdentity({ db: context.db, effects }, await administratorOf(context), body)
  })
  serve(app, identitiesApi.updateIdentity, async (context, { id, body }) => {
    const beforeGiving = (tx: Db) => requireConfirmedPassword(tx, context.caller)
    return changeIdentity({ db: context.db, effects, beforeGiving }, await administratorOf(context), id, body)
  })
  serve(app, identitiesApi.deleteIdentity, async (context, { id }) => {
    await deleteIdentity({ db: context.db, effects }, await administratorOf(context), id)
    return null
  })
  serve(app, identitiesApi.endIdentitySessions, async (context, { id }) =>
    endSessions({ db: context.db, effects }, await administratorOf(context), id),
  )
  serveStored(app, identitiesApi.inviteIdentity, findIdentitySave, async (context, { id }) => {
    await requireConfirmedPassword(context.db, context.caller)
    await inviteAgain({ db: context.db, effects }, await administratorOf(context), id)
    return null
  })
}

function accountRoutes(
  app: FastifyInstance,
  { database }: RouteServices,
  effects: IdentityEffects,
  requireConfirmedPassword: StepUp,
): void {
  serve(app, accountsApi.listAccountDetails, ({ db }) => listAccountDetails(db))
  serve(app, accountsApi.getAccount, ({ db }, { id }) => findAccountDetails(db, id))
  const byCaller = ({ actor, caller, callerNow }: Pick<AccountContext, 'actor' | 'caller' | 'callerNow'>): Inviter => ({
    actor,
    inviter: inviterOf(caller),
    holdings: caller.holdings,
    signIn: caller,
    now: async () => byCaller({ actor, caller: await callerNow(), callerNow }),
  })
  serve(app, accountsApi.createAccount, async (context, { body }) => {
    if (body.powerUser !== undefined) await requireConfirmedPassword(context.db, context.caller)
    return openAccount({ database, effects }, body, byCaller(context))
  })
  serve(app, accountsApi.updateAccount, (context, { id, body }) =>
    changeAccountOf(context.db, id, body, byCaller(context)),
  )
  serve(app, accountsApi.addPowerUser, async (context, { id, body }) => {
    await requireConfirmedPassword(context.db, context.caller)
    return addPowerUser({ db: context.db, effects }, id, body, byCaller(context))
  })
}

function invitationRoutes(app: FastifyInstance): void {
  serve(app, ownIdentitiesApi.listOwnInvitations, ({ db, caller }) => listInvitations(db, caller.personId))
  serve(app, ownIdentitiesApi.acceptInvitation, async (context, { id }) => {
    await acceptInvitation(context.db, selfOf(context), id, context.actor)
    return null
  })
  serve(app, ownIdentitiesApi.declineInvitation, async (context, { id }) => {
    await declineInvitation(context.db, selfOf(context), id, context.actor)
    return null
  })
}
