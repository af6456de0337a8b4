import { importPreviewApi } from '@portico/contract/import-preview'
import { importReviewApi } from '@portico/contract/import-review'
import { importsApi } from '@portico/contract/imports'
import type { FastifyInstance } from 'fastify'
import { requireAllContacts, requireVisible } from '#filters'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { createReview, endReview, getReview } from './review/review.service.ts'
import { previewImport } from './import-preview.service.ts'
import { getImportDefaults, setImportDefaults } from './import-defaults.service.ts'
import {
  cancelImport,
  createImport,
  getContactLine,
  getImport,
  getSetAsideReport,
  listImports,
} from './imports.service.ts'

export function importRoutes(
  app: FastifyInstance,
  { storage, jobs, config }: Pick<Services, 'storage' | 'jobs' | 'config'>,
): void {
  serve(app, importsApi.listImports, ({ db, signal, account, caller, rows }, query) =>
    listImports({ db, signal, caller, rows }, account, query),
  )
  serve(app, importsApi.getImport, ({ db, account, caller, rows }, { id }) =>
    getImport({ db, caller, rows }, account, id),
  )
  serve(app, importsApi.createImport, ({ db, signal, account, actor, caller, rows }, { body }) => {
    requireAllContacts(rows, 'An import can change contacts that it does not name, so you cannot import.')
    return createImport({ db, storage, jobs, signal }, account, actor, body, caller)
  })
  serve(app, importPreviewApi.previewImport, ({ db, signal, account, caller, rows }, { body }) => {
    requireAllContacts(rows, 'A file can have rows of any contact, so you cannot preview it.')
    return previewImport({ db, storage, signal }, account, body, caller.email)
  })
  serve(app, importReviewApi.createImportReview, ({ db, signal, account, actor, caller, rows }, { body }) => {
    requireAllContacts(rows, 'A file can have rows of any contact, so you cannot review it.')
    return createReview({ db, storage, jobs, signal }, account, actor, body, caller)
  })
  serve(app, importReviewApi.getImportReview, ({ db, account, caller, rows }, { id }) => {
    requireAllContacts(rows, 'A file can have rows of any contact, so you cannot review it.')
    return getReview(db, account, id, caller)
  })
  serve(app, importReviewApi.endImportReview, async ({ db, account, caller }, { id }) => {
    await endReview(db, account, id, caller)
    return null
  })
  serve(app, importsApi.cancelImport, ({ db, account, actor, caller, rows }, { id }) =>
    cancelImport({ db, jobs, config, caller, rows }, account, actor, id),
  )
  serve(app, importsApi.getSetAsideReport, ({ db, ...context }, { id }) => {
    requireAllContacts(context.rows, 'Rows that an import has set aside can be of any contact.')
    return getSetAsideReport({ db, storage }, context, id)
  })
  serve(app, importsApi.getContactLine, async ({ db, account, rows }, { id, contact }) => {
    await requireVisible(db, account, contact, rows)
    return getContactLine(db, account, id, contact)
  })
  serve(app, importsApi.getImportDefaults, ({ db, account }) => getImportDefaults(db, account))
  serve(app, importsApi.setImportDefaults, ({ db, account, actor }, { body }) =>
    setImportDefaults(db, account, actor, body),
  )
}
