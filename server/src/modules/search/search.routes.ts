import { contactsApi } from '@portico/contract/contacts'
import { filterSettingsApi } from '@portico/contract/filter-settings'
import type { FastifyInstance } from 'fastify'
import { serve, serveReading } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import { getFilterSettings, setFilterSettings } from './filter-settings.service.ts'
import { getOffer, listFields, listOffers } from './search.service.ts'

export function searchRoutes(app: FastifyInstance, { jobs }: Pick<PortalParts, 'jobs'>): void {
  serveReading(app, contactsApi.listFields, ({ db, account }) => listFields(db, account))
  serveReading(app, contactsApi.listOffers, ({ db, signal, account, facts }, query) =>
    listOffers({ db, signal, jobs, facts }, account, query),
  )
  serveReading(app, contactsApi.getOffer, ({ db, account, facts }, { id }) => getOffer(db, account, id, facts))
  serve(app, filterSettingsApi.getFilterSettings, ({ db, account }) => getFilterSettings(db, account))
  serve(app, filterSettingsApi.setFilterSettings, ({ db, account, caller, address }, { body }) =>
    setFilterSettings(db, account, { email: caller.email, address }, body),
  )
}
