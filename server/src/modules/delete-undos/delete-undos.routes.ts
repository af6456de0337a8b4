import { deletesApi } from '@portico/contract/deletes'
import type { FastifyInstance } from 'fastify'
import { findDelete } from '#deletes'
import { requireAllContacts } from '#filters'
import { AppError } from '#platform/app-error.ts'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { restoreDelete } from './restore-request.service.ts'

const ofAll = 'Undoing a delete returns contacts that it does not name, so you cannot do it.'

export function deleteUndoRoutes(app: FastifyInstance, { jobs }: Pick<Services, 'jobs'>): void {
  serve(app, deletesApi.getMissingRecords, async ({ db, account, rows }, { id }) => {
    requireAllContacts(rows, ofAll)
    const row = await findDelete(db, account, id)
    if (!row) throw new AppError('not_found')
    return { missing: row.restore?.missing ?? [] }
  })
  serve(app, deletesApi.restoreDelete, ({ db, account, actor, caller, rows }, { id }) => {
    requireAllContacts(rows, ofAll)
    return restoreDelete({ db, jobs }, account, { by: actor, caller }, id)
  })
}
