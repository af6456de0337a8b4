import { activityApi } from '@portico/contract/activity'
import type { FastifyInstance } from 'fastify'
import { createAuthenticate } from '#sign-in'
import { serve } from '#platform/http/serving.ts'
import type { Registration } from '#platform/registration.ts'
import type { Services } from '#platform/services.ts'
import { listActivity } from './activity.service.ts'
import { streamChanges } from './change-stream.ts'
import { createChangeWatch, getChanges } from './changes.service.ts'
import { openStreams } from './open-streams.ts'

export function activityRoutes(
  app: FastifyInstance,
  { database, config, log }: Pick<Services, 'database' | 'config' | 'log'>,
  registrations: readonly Registration[],
): void {
  const jobs = registrations.flatMap((registration) => registration.jobs ?? [])
  const changes = registrations.flatMap((registration) => registration.changes ?? [])
  serve(app, activityApi.listActivity, ({ db, signal, account, caller }, { limit }) =>
    listActivity({ db, signal }, account, caller, jobs, limit),
  )
  const watch = createChangeWatch(database.db, log, changes)
  const authenticate = createAuthenticate(database, config)
  const streaming = { watch, authenticate, sources: changes, streams: openStreams() }
  app.addHook('onClose', () => watch.close())
  app.register(async (scope) => {
    scope.addHook('preHandler', async (request, reply) => {
      const { caller } = request.context
      const wantsStream = request.headers.accept?.includes('text/event-stream') ?? false
      // Callers without access get the usual error from the route below.
      if (!wantsStream || !caller || caller.account === null) return
      streamChanges(streaming, { request, reply, caller, account: caller.account })
    })
    serve(scope, activityApi.getChanges, ({ db, account, caller }) => getChanges(db, account, caller, changes))
  })
}
