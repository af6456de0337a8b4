import { downloadsApi } from '@portico/contract/downloads'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { listDownloads, openDownload, storageUse } from './downloads.service.ts'

export function downloadRoutes(app: FastifyInstance, { storage }: Pick<Services, 'storage'>): void {
  serve(app, downloadsApi.listDownloads, ({ db, account }, query) => listDownloads({ db, storage }, account, query))
  serve(app, downloadsApi.openDownload, ({ db, account }, { id }) => openDownload({ db, storage }, account, id))
  serve(app, downloadsApi.getStorageUse, ({ db, account }) => storageUse({ db, storage }, account))
}
