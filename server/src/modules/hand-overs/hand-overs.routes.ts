import { peopleApi } from '@portico/contract/people'
import type { FastifyInstance } from 'fastify'
import { administratorOf, type StepUp } from '#access'
import { ownedDashboards } from '#dashboards'
import { ownedFilters } from '#saved-filters'
import { type Consumers, ownedCrons } from '#scheduler'
import type { AccountContext } from '#platform/http/context.ts'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import { handOver, previewHandOver } from './hand-overs.service.ts'

/** Hundreds of dashboards and filters may be judged for one call. */
const judgingTurns = { atOnce: 2, each: 1, waiting: 4 }

export function handOverRoutes(
  app: FastifyInstance,
  { database }: Pick<Services, 'database'>,
  { consumers, requireConfirmedPassword }: { consumers: Consumers; requireConfirmedPassword: StepUp },
): void {
  const deps = { database, works: [ownedDashboards, ownedCrons(consumers), ownedFilters] }
  const inTurn = createFairQueue(judgingTurns)
  const queue = <T>({ caller, signal }: AccountContext, work: () => Promise<T>): Promise<T> =>
    inTurn(caller.personId, work, signal)
  serve(app, peopleApi.previewHandOver, (context, { id, body }) =>
    queue(context, async () => previewHandOver(deps, await administratorOf(context), id, body)),
  )
  serve(app, peopleApi.handOver, async (context, { id, body }) => {
    await requireConfirmedPassword(context.db, context.caller)
    return queue(context, async () => handOver(deps, await administratorOf(context), id, body))
  })
}
