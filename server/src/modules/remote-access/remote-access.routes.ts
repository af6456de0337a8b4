import { remoteAccessApi } from '@portico/contract/remote-access'
import type { FastifyInstance } from 'fastify'
import { requireAllContacts } from '#filters'
import { serve } from '#platform/http/serving.ts'
import { openLookups } from '#platform/strangers/lookups.ts'
import type { Services } from '#platform/services.ts'
import { createSharedCounts } from '#platform/shared-counts.ts'
import { createCollectedNames } from './collector/collector.service.ts'
import { createEventWriter } from './collector/event-writer.ts'
import { createDoorPlans } from './door/door-plan.service.ts'
import type { Door } from './door/door.service.ts'
import { doorRoutes } from './door/door.routes.ts'
import { createProxyWatch } from './door/proxy-watch.ts'
import { createSaverWatch } from './door/saver-watch.ts'
import { pageScriptRoute } from './page-script.ts'
import { rateColumns } from './rating/rating.service.ts'
import {
  createRemoteAccess,
  deleteRemoteAccess,
  getRemoteAccess,
  listRemoteAccesses,
  updateRemoteAccess,
} from './remote-accesses.service.ts'
import { findSamplePage } from './sample-page.service.ts'
import { tryRemoteAccess } from './trial.service.ts'
import { createUsageCounter } from './usage/usage-counter.ts'
import { getUsage } from './usage/usage.service.ts'

/** Serves the settings of remote accesses, and the calls of strangers that they let in. */
export function remoteAccessRoutes(
  app: FastifyInstance,
  { database, jobs, log, config }: Pick<Services, 'database' | 'jobs' | 'log' | 'config'>,
): void {
  const { db } = database
  const door: Door = {
    lookups: openLookups(database.url, log),
    plans: createDoorPlans(db),
    counts: createSharedCounts(db, log),
    usage: createUsageCounter(db, log),
    limits: config.remoteAccessLimits,
    savers: createSaverWatch(database),
  }
  const proxies = createProxyWatch(log)
  app.addHook('onClose', async () => {
    await Promise.all([door.counts.close(), door.usage.close(), door.lookups.close()])
  })
  doorRoutes(app, { db, door, writer: createEventWriter(db), fieldNames: createCollectedNames(db) }, proxies)
  pageScriptRoute(app)

  serve(app, remoteAccessApi.listRemoteAccesses, ({ signal, account }, query) =>
    listRemoteAccesses({ db, pool: database.pool, signal }, account, query),
  )
  serve(app, remoteAccessApi.rateColumns, ({ signal, account, caller, rows }, query) =>
    rateColumns({ db, signal, rows, caller }, account, query),
  )
  serve(app, remoteAccessApi.getSamplePage, ({ account, rows }) => findSamplePage(db, account, config, rows))
  serve(app, remoteAccessApi.getRemoteAccess, ({ account }, { id }) => getRemoteAccess(database, account, id))
  serve(app, remoteAccessApi.tryRemoteAccess, ({ signal, account, rows }, { body }) => {
    requireAllContacts(rows, 'A trial tells whether other contacts have the same values, so you cannot try it.')
    return tryRemoteAccess({ db, signal, savers: createSaverWatch(database) }, account, body)
  })
  serve(app, remoteAccessApi.createRemoteAccess, ({ account, actor, caller }, { body }) =>
    createRemoteAccess({ database, jobs }, account, actor, body, caller),
  )
  serve(app, remoteAccessApi.updateRemoteAccess, ({ account, actor, caller }, { id, body }) =>
    updateRemoteAccess({ database, jobs }, account, { by: actor, caller }, id, body),
  )
  serve(app, remoteAccessApi.deleteRemoteAccess, async ({ account, actor }, { id }) => {
    await deleteRemoteAccess({ database, jobs }, account, actor, id)
    return null
  })
  serve(app, remoteAccessApi.getRemoteAccessUsage, ({ account }, { id }) => getUsage(db, account, id, proxies))
}
