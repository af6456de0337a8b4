import { contactsApi } from '@portico/contract/contacts'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import { getOffer, listFields, listOffers } from './search.service.ts'

export function searchRoutes(app: FastifyInstance, { jobs }: Pick<PortalParts, 'jobs'>): void {
  serve(app, contactsApi.listFields, ({ db, account }) => listFields(db, account))
  serve(app, contactsApi.listOffers, ({ db, signal, account, caller }, query) =>
    listOffers({ db, signal, jobs, facts: caller.facts }, account, query),
  )
  serve(app, contactsApi.getOffer, ({ db, account, caller }, { id }) => getOffer(db, account, id, caller.facts))
}
