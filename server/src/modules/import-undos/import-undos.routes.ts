import { importUndoApi } from '@portico/contract/import-undo'
import type { FastifyInstance } from 'fastify'
import { requireAllContacts } from '#filters'
import { serve } from '#platform/http/serving.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import type { Services } from '#platform/services.ts'
import { getImportUndo } from './undo-forecast.service.ts'
import { undoImport } from './undo-request.service.ts'

const ofAll = 'Taking back an import changes contacts that it does not name, so you cannot do it.'

/** `uses`: finders, from all modules, of stored items that name fields. */
export function importUndoRoutes(
  app: FastifyInstance,
  { jobs }: Pick<Services, 'jobs'>,
  uses: readonly FieldUses[],
): void {
  serve(app, importUndoApi.getImportUndo, ({ db, signal, account, rows }, { id }) => {
    requireAllContacts(rows, ofAll)
    return getImportUndo({ db, signal, uses }, account, id)
  })
  serve(app, importUndoApi.undoImport, ({ db, account, actor, caller, rows }, { id }) => {
    requireAllContacts(rows, ofAll)
    return undoImport({ db, jobs }, account, { by: actor, caller }, id)
  })
}
