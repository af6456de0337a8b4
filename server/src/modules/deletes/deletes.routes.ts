import { deletesApi } from '@portico/contract/deletes'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import { deleteContacts, listDeletes } from './deletes.service.ts'

export function deleteRoutes(app: FastifyInstance, parts: Pick<PortalParts, 'database' | 'jobs' | 'log'>): void {
  serve(app, deletesApi.deleteOffers, ({ account, caller, address, signal }, { body }) =>
    deleteContacts(parts, account, { email: caller.email, address }, body, signal),
  )
  serve(app, deletesApi.listDeletes, ({ db, signal, account }, query) => listDeletes({ db, signal }, account, query))
}
