import { downloadsApi } from '@portico/contract/downloads'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import { listDownloads, openDownload, storageUse } from './downloads.service.ts'

export function downloadRoutes(app: FastifyInstance, { storage }: Pick<PortalParts, 'storage'>): void {
  serve(app, downloadsApi.listDownloads, ({ db, account }, query) => listDownloads({ db, storage }, account, query))
  serve(app, downloadsApi.openDownload, ({ db, account }, { id }) => openDownload({ db, storage }, account, id))
  serve(app, downloadsApi.getStorageUse, ({ db, account }) => storageUse({ db, storage }, account))
}
