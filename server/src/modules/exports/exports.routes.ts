import { exportsApi } from '@portico/contract/exports'
import { notificationsApi } from '@portico/contract/notifications'
import type { FastifyInstance } from 'fastify'
import { deliveriesPurpose, requireSenders } from '#delivery'
import { getExportSettings, setExportSettings } from '#files'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { createSecrets } from '#platform/secrets.ts'
import { listExportDeliveries, resendExport } from './export-deliveries.service.ts'
import { filterUse, requireExporter } from './export-rights.ts'
import { cancelExport, createExport, getDownload, getExport, listExports } from './exports.service.ts'

type RouteServices = Pick<Services, 'config' | 'storage' | 'jobs' | 'database'>

export function exportRoutes(app: FastifyInstance, { config, storage, jobs, database }: RouteServices): void {
  const sealer = createSecrets(config.secretKey, deliveriesPurpose)
  serve(app, exportsApi.listExports, ({ db, signal, account }, query) => listExports({ db, signal }, account, query))
  serve(app, exportsApi.getExport, ({ db, account }, { id }) => getExport(db, account, id))
  serve(app, exportsApi.createExport, async ({ db, account, actor, caller }, { body }) => {
    await requireSenders(db, config, account, body.notifications ?? [], 'notifications')
    const { actsAs, rows } = await requireExporter(account, caller, body)
    const use = filterUse(database.pool, account, caller, body)
    return createExport({ db, jobs, sealer }, { account, rows }, actor, body, { actsAs, use })
  })
  serve(app, exportsApi.cancelExport, ({ db, account, actor }, { id }) => cancelExport(db, account, actor, id))
  serve(app, exportsApi.getExportSettings, ({ db, account }) => getExportSettings(db, account))
  serve(app, exportsApi.setExportSettings, ({ db, account, actor }, { body }) =>
    setExportSettings(db, account, actor, body),
  )
  serve(app, exportsApi.getDownload, ({ db, ...context }, { file }) => getDownload({ db, storage }, context, file))
  serve(app, notificationsApi.listDeliveries, ({ db, account }, { id }) => listExportDeliveries(db, account, id))
  serve(app, notificationsApi.resendDelivery, ({ db, account, actor }, { id, delivery }) =>
    resendExport({ db, jobs }, account, actor, { exportId: id, deliveryId: delivery }),
  )
}
