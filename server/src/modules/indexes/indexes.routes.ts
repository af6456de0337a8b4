import { indexesApi } from '@portico/contract/indexes'
import type { FastifyInstance } from 'fastify'
import { requireAllContacts } from '#filters'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { getFullTextIndex } from '#search'
import { estimateIndex, getFieldIndex } from './index-estimate.service.ts'
import { listIndexDetails, listIndexes } from './index-list.service.ts'
import { createIndex, deleteIndex, requireReadable } from './indexes.service.ts'

export function indexRoutes(app: FastifyInstance, { jobs }: Pick<Services, 'jobs'>): void {
  serve(app, indexesApi.listIndexes, ({ db, account }) => listIndexes(db, account))
  serve(app, indexesApi.listIndexDetails, ({ db, account, caller }) => listIndexDetails({ db, caller }, account))
  serve(app, indexesApi.estimateIndex, ({ db, signal, account, caller, rows }, { field, field2 }) => {
    requireAllContacts(rows, 'An estimate counts all contacts.')
    return estimateIndex({ db, signal, caller }, account, field2 === undefined ? [field] : [field, field2])
  })
  serve(app, indexesApi.getFieldIndex, ({ db, signal, account, caller }, { field }) =>
    getFieldIndex({ db, signal, caller }, account, field),
  )
  serve(app, indexesApi.getWordIndex, ({ db, account }) => getFullTextIndex(db, jobs, account))
  serve(app, indexesApi.createIndex, async ({ db, account, actor, caller, rows }, { body }) => {
    if (body.options.unique) {
      requireAllContacts(rows, 'A unique index tells which values contacts share.')
      await requireReadable({ db, caller }, account, body.key)
    }
    return createIndex({ db, jobs }, account, actor, body)
  })
  serve(app, indexesApi.deleteIndex, ({ db, account, actor }, { key }) =>
    deleteIndex({ db, jobs }, account, actor, key),
  )
}
