import { messages } from '@portico/contract/messages'
import { schedulerApi } from '@portico/contract/scheduler'
import type { FastifyInstance } from 'fastify'
import { invalidField } from '#platform/app-error.ts'
import { serveStored, type StoredSave } from '#platform/http/serving-stored.ts'
import { serve, type StoredContext } from '#platform/http/serving.ts'
import { createSecrets } from '#platform/secrets.ts'
import type { Services } from '#platform/services.ts'
import { getCalendar } from './calendar/calendar.service.ts'
import {
  findRun,
  getSchedule,
  listSchedules,
  listSchedulesById,
  listUpcomingSchedules,
  resendDelivery,
} from './calendar/schedules.service.ts'
import type { Consumers, CronTesters } from './consumers.ts'
import { backfillCron } from './crons/backfill.service.ts'
import { pauseCron, resumeCron, runCronNow, skipRun, takeOverCron } from './crons/cron-changes.service.ts'
import { cronsPurpose } from './crons/cron-secrets.ts'
import { testCron } from './crons/cron-tests.service.ts'
import { findCronSave } from './crons/stored-cron.ts'
import { consumerCodeOf, countCrons, createCron, getCron, listCrons, updateCron } from './crons/crons.service.ts'

export function schedulerRoutes(
  app: FastifyInstance,
  { database, config }: Pick<Services, 'database' | 'config'>,
  { consumers, testers }: { consumers: Consumers; testers: CronTesters },
): void {
  const deps = { database, consumers, testers, sealer: createSecrets(config.secretKey, cronsPurpose) }
  cronRoutes(app, deps)
  cronChangeRoutes(app, deps)
  cronTestRoutes(app, deps)
  scheduleRoutes(app, deps)
}

function cronRoutes(app: FastifyInstance, deps: CronRoutes): void {
  serve(app, schedulerApi.listCrons, (context, query) => {
    const { db, account } = context
    const { consumerCode: consumer, instances, from, cronId = null, search = '', terminated, sort, order } = query
    if (instances !== undefined) {
      const range = { from: from === undefined ? null : new Date(from), to: new Date(instances) }
      return listUpcomingSchedules(db, account, { consumer, cronId, ...range, field: 'instances' })
    }
    const filter = { consumer, search, isTerminated: terminated === undefined ? null : terminated === 'true' }
    if (query.count !== undefined) return countCrons(context, filter)
    const page = { limit: query.limit, skip: query.skip, sort, isDescending: order === '-1' }
    return listCrons(context, { ...filter, ...page, hasInstructions: query.instruction === 'true' })
  })
  serve(app, schedulerApi.getCron, (context, { id, consumerCode }) => getCron(context, id, consumerCode))
  serve(app, schedulerApi.createCron, (context, { consumerCode, body }) =>
    createCron(deps, context, consumerCodeOf(consumerCode, body), body),
  )
  serve(app, schedulerApi.updateCron, (context, { id, consumerCode, body }) => {
    const isNamed = consumerCode !== undefined || body.consumerCode !== undefined
    return updateCron(deps, context, id, {
      code: isNamed ? consumerCodeOf(consumerCode, body) : undefined,
      draft: body,
    })
  })
}

type CronRoutes = Parameters<typeof createCron>[0]

const cronOf =
  ({ consumers }: CronRoutes) =>
  (context: StoredContext, { id }: { id: string }): Promise<StoredSave | null> =>
    findCronSave(consumers, context, id)

function cronChangeRoutes(app: FastifyInstance, deps: CronRoutes): void {
  const cron = cronOf(deps)
  serveStored(app, schedulerApi.pauseCron, cron, (context, { id, body }) => pauseCron(context, id, body.reason))
  serveStored(app, schedulerApi.resumeCron, cron, (context, { id }) => resumeCron(deps, context, id))
  serveStored(app, schedulerApi.takeOverCron, cron, (context, { id, body }) =>
    takeOverCron(deps, context, id, body.version),
  )
  serveStored(app, schedulerApi.runCronNow, cron, async (context, { id }) =>
    getSchedule({ ...deps, db: context.db }, context.account, await runCronNow(deps, context, id)),
  )
  serveStored(app, schedulerApi.skipRun, cron, async (context, { id, body }) =>
    getSchedule({ ...deps, db: context.db }, context.account, await skipRun(context, id, new Date(body.date))),
  )
  serveStored(app, schedulerApi.backfillCron, cron, async (context, { id, body }) => {
    const [from, to] = [new Date(body.from), new Date(body.to ?? body.from)]
    const ids = await backfillCron(deps, context, id, { from, to, which: body.which })
    const runs = await listSchedulesById(context.db, context.account, deps.consumers, ids)
    return { count: runs.length, runs }
  })
}

function cronTestRoutes(app: FastifyInstance, deps: Parameters<typeof testCron>[0]): void {
  serve(app, schedulerApi.testCron, (context, { part, consumerCode: code, body: draft }) =>
    testCron(deps, context, { part, id: null, code, draft }),
  )
  serve(app, schedulerApi.testCronChange, (context, { id, part, consumerCode, body: draft }) =>
    testCron(deps, context, { part, id, code: consumerCode ?? draft.consumerCode, draft }),
  )
}

function scheduleRoutes(app: FastifyInstance, deps: CronRoutes): void {
  const { consumers } = deps
  serve(app, schedulerApi.listSchedules, ({ db, account }, query) => {
    const { consumerCode: consumer = null, cronId = null, status = null, state = null, limit, skip } = query
    if (consumer === null && cronId === null) throw invalidField('consumerCode', messages.required)
    const [from, to] = [momentIn(query.from ?? query.start), momentIn(query.to ?? query.end)]
    if (status !== 'upcoming' && state !== 'upcoming') {
      return listSchedules(db, account, consumers, { consumer, cronId, from, to, status, state }, { limit, skip })
    }
    if (to === null) throw invalidField('to', messages.required)
    return listUpcomingSchedules(db, account, { consumer, cronId, from, to, field: 'to' })
  })
  serve(app, schedulerApi.getCalendar, ({ db, account }, query) => getCalendar(db, account, consumers, query))
  serve(app, schedulerApi.getSchedule, ({ db, account }, { id, consumerCode }) =>
    getSchedule({ ...deps, db }, account, id, consumerCode),
  )
  const cron = cronOf(deps)
  serveStored(
    app,
    schedulerApi.resendScheduleDelivery,
    async (context, { id }) => {
      const run = await findRun(context.db, context.account, id)
      return run ? cron(context, { id: run.cron_id }) : null
    },
    ({ db, account, actor }, { id, delivery }) => resendDelivery({ ...deps, db }, account, actor, { id, delivery }),
  )
}

const momentIn = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text))
