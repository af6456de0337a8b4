import { exportsApi } from '@portico/contract/exports'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import { cancelExport, createExport, getDownload, getExport, listExports } from './exports.service.ts'

export function exportRoutes(app: FastifyInstance, { storage, jobs }: Pick<PortalParts, 'storage' | 'jobs'>): void {
  serve(app, exportsApi.listExports, ({ db, signal, account }, query) => listExports({ db, signal }, account, query))
  serve(app, exportsApi.getExport, ({ db, account }, { id }) => getExport(db, account, id))
  serve(app, exportsApi.createExport, ({ db, account, caller, address }, { body }) =>
    createExport({ db, jobs }, account, { email: caller.email, address }, body),
  )
  serve(app, exportsApi.cancelExport, ({ db, account, caller, address }, { id }) =>
    cancelExport(db, account, { email: caller.email, address }, id),
  )
  serve(app, exportsApi.getDownload, ({ db, account }, { file }) => getDownload({ db, storage }, account, file))
}
