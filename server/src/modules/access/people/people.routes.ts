import { peopleApi } from '@portico/contract/people'
import type { FastifyInstance } from 'fastify'
import type { Db } from '#platform/database.ts'
import { serve } from '#platform/http/serving.ts'
import { administratorOf } from '../administrator.ts'
import type { StepUp } from '../giving.ts'
import type { IdentityEffects } from '../identities/identity-effects.ts'
import { getPeopleFilters, listPeople } from './people.service.ts'
import { endPersonSessions, removePerson, revokePersonSecrets, setPersonState } from './person-acts.service.ts'
import { getPerson } from './person.service.ts'

/** Calls about people across accounts, but handing over what they own (`#hand-overs`). */
export function peopleRoutes(app: FastifyInstance, effects: IdentityEffects, requireConfirmedPassword: StepUp): void {
  serve(app, peopleApi.listPeople, async (context, query) =>
    listPeople(context.db, await administratorOf(context), query),
  )
  serve(app, peopleApi.getPeopleFilters, async (context) =>
    getPeopleFilters(context.db, await administratorOf(context)),
  )
  serve(app, peopleApi.getPerson, async (context, { id }) =>
    getPerson({ db: context.db, effects }, await administratorOf(context), id),
  )
  serve(app, peopleApi.setPersonState, async (context, { id, body }) => {
    const beforeGiving = (tx: Db) => requireConfirmedPassword(tx, context.caller)
    return setPersonState({ db: context.db, beforeGiving }, await administratorOf(context), id, body.isDisabled)
  })
  serve(app, peopleApi.endPersonSessions, async (context, { id }) =>
    endPersonSessions({ db: context.db, effects }, await administratorOf(context), id),
  )
  serve(app, peopleApi.revokePersonSecrets, async (context, { id }) =>
    revokePersonSecrets({ db: context.db, effects }, await administratorOf(context), id),
  )
  serve(app, peopleApi.removePerson, async (context, { id, body }) =>
    removePerson({ db: context.db, effects }, await administratorOf(context), id, body.identities),
  )
}
