import { downloadsApi } from '@portico/contract/downloads'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { Registration } from '#platform/registration.ts'
import type { Services } from '#platform/services.ts'
import { listDownloads, openDownload, storageUse } from './downloads.service.ts'

export function downloadRoutes(
  app: FastifyInstance,
  { storage, config }: Pick<Services, 'storage' | 'config'>,
  registrations: readonly Registration[],
): void {
  const sources = registrations.flatMap(({ files }) => files ?? [])
  serve(app, downloadsApi.listDownloads, ({ db, account }, query) =>
    listDownloads({ db, storage, sources }, account, query),
  )
  serve(app, downloadsApi.openDownload, ({ db, ...context }, { id }) =>
    openDownload({ db, storage, sources }, context, id),
  )
  serve(app, downloadsApi.getStorageUse, ({ db, account }) =>
    storageUse({ db, storage, sources }, account, config.storageQuota),
  )
}
