import { segmentsApi } from '@portico/contract/segments'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { FilterUses } from '#platform/rows/filter-uses.ts'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import type { Services } from '#platform/services.ts'
import { explainMembership } from './membership.service.ts'
import { compareSegments, countSegment } from './segment-count.service.ts'
import { getSegment, listSegments, setFavourite } from './segments.service.ts'

/** An explanation judges and compiles many conditions on the thread that answers others too. */
const explanationTurns = { atOnce: 2, each: 1, waiting: 4 }

/** `uses`: everything stored that names saved filters, of all modules. */
export function segmentRoutes(
  app: FastifyInstance,
  { database: { pool } }: Pick<Services, 'database'>,
  uses: readonly FilterUses[],
): void {
  serve(app, segmentsApi.listSegments, ({ db, account, caller }) => listSegments({ db, caller, uses }, account))
  serve(app, segmentsApi.getSegment, ({ db, account, caller }, { id }) => getSegment({ db, caller, uses }, account, id))
  serve(app, segmentsApi.countSegment, async ({ db, signal, account, caller }, { id }) => ({
    count: await countSegment({ db, signal, pool, caller }, account, id),
  }))
  serve(app, segmentsApi.compareSegments, ({ db, signal, account, caller }, { id, with: other }) =>
    compareSegments({ db, signal, pool, caller }, account, id, other),
  )
  const inTurn = createFairQueue(explanationTurns)
  serve(app, segmentsApi.explainMembership, ({ db, signal, account, caller }, { id, contact }) =>
    inTurn(caller.personId, () => explainMembership({ db, signal, pool, caller }, account, id, contact), signal),
  )
  serve(app, segmentsApi.setFavouriteSegment, async ({ db, account, caller }, { id, body }) => {
    await setFavourite({ db, caller }, account, id, body.isFavourite)
    return null
  })
}
