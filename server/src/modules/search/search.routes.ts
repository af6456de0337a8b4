import { contactsApi } from '@portico/contract/contacts'
import { filterSettingsApi } from '@portico/contract/filter-settings'
import type { FastifyInstance } from 'fastify'
import { serve, serveSpeculatively } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { getFilterSettings, setFilterSettings } from './filter-settings.service.ts'
import { getOffer, listContactEvents, listFields, listOffers, type NoteSearches, usesSaved } from './search.service.ts'
import { suggestOffers } from './suggestions.service.ts'

export function searchRoutes(
  app: FastifyInstance,
  { jobs, database }: Pick<Services, 'jobs' | 'database'>,
  noteSearches: NoteSearches,
): void {
  const { pool } = database
  serveSpeculatively(app, contactsApi.listFields, ({ db, account }) => listFields(db, account))
  serveSpeculatively(
    app,
    contactsApi.listOffers,
    ({ db, signal, account, facts, caller, rows }, query) =>
      listOffers({ db, signal, jobs, noteSearches, facts, user: { pool, caller }, rows }, account, query),
    // Their stages are judged by the rights of the caller, who is not known early.
    { readsEarly: (query) => !usesSaved(query) },
  )
  serveSpeculatively(app, contactsApi.suggestOffers, ({ db, signal, account, facts, rows }, query) =>
    suggestOffers({ db, signal, facts, rows }, account, query),
  )
  serveSpeculatively(app, contactsApi.getOffer, ({ db, signal, account, facts, rows }, { id }) =>
    getOffer({ db, signal }, account, id, { rows, facts }),
  )
  serve(app, contactsApi.listContactEvents, ({ db, signal, account, rows }, { id, skip, limit }) =>
    listContactEvents({ db, signal }, account, id, { rows, skip, limit }),
  )
  serve(app, filterSettingsApi.getFilterSettings, ({ db, account }) => getFilterSettings(db, account))
  serve(app, filterSettingsApi.setFilterSettings, ({ db, account, actor }, { body }) =>
    setFilterSettings(db, account, actor, body),
  )
}
