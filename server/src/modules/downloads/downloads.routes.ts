import { downloadsApi } from '@portico/contract/downloads'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import type { Registration } from '#platform/registration.ts'
import { listDownloads, openDownload, storageUse } from './downloads.service.ts'

export function downloadRoutes(
  app: FastifyInstance,
  { storage }: Pick<PortalParts, 'storage'>,
  registrations: readonly Registration[],
): void {
  const sources = registrations.flatMap(({ files }) => files ?? [])
  serve(app, downloadsApi.listDownloads, ({ db, account }, query) =>
    listDownloads({ db, storage, sources }, account, query),
  )
  serve(app, downloadsApi.openDownload, ({ db, account }, { id }) =>
    openDownload({ db, storage, sources }, account, id),
  )
  serve(app, downloadsApi.getStorageUse, ({ db, account }) => storageUse({ db, storage, sources }, account))
}
