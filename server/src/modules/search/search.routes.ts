import { contactsApi } from '@portico/contract/contacts'
import type { FastifyInstance } from 'fastify'
import { serveSpeculatively } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { getOffer, listFields, listOffers } from './search.service.ts'

export function searchRoutes(app: FastifyInstance, { jobs }: Pick<Services, 'jobs'>): void {
  serveSpeculatively(app, contactsApi.listFields, ({ db, account }) => listFields(db, account))
  serveSpeculatively(app, contactsApi.listOffers, ({ db, signal, account, facts }, query) =>
    listOffers({ db, signal, jobs, facts }, account, query),
  )
  serveSpeculatively(app, contactsApi.getOffer, ({ db, account, facts }, { id }) => getOffer(db, account, id, facts))
}
