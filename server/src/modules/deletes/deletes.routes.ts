import { deletesApi } from '@portico/contract/deletes'
import type { FastifyInstance } from 'fastify'
import { requireAllContacts } from '#filters'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { deleteContacts, listDeletes } from './deletes.service.ts'
import { eraseDelete } from './erase.service.ts'

const ofAll = 'A delete may have deleted others, so you cannot erase them.'

export function deleteRoutes(app: FastifyInstance, services: Pick<Services, 'database' | 'jobs' | 'log'>): void {
  serve(app, deletesApi.deleteOffers, ({ account, rows, actor, caller, signal }, { body }) =>
    deleteContacts(services, { account, rows }, { by: actor, caller }, body, signal),
  )
  serve(app, deletesApi.listDeletes, ({ db, signal, account }, query) => listDeletes({ db, signal }, account, query))
  serve(app, deletesApi.eraseDelete, ({ db, account, actor, rows }, { id, body }) => {
    requireAllContacts(rows, ofAll)
    return eraseDelete(db, account, actor, { id, ...body })
  })
}
