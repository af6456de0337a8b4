import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'

/** Reads one file ahead of its import. */
export const reviewImportJob = defineJob({
  name: 'review-import',
  data: z.object({ account: z.number().int(), reviewId: z.number().int() }),
  ...oneByOneInAccount,
})

/**
 * Loads one import, or takes it back (`undoes`), or returns what a bulk delete has deleted (`restoredDelete`, its id). All of these
 * run one after the other in an account, in the order they were asked for, so that no contacts are matched by an import while
 * others come or go.
 */
export const runImportJob = defineJob({
  name: 'run-import',
  data: z.union([
    z.object({ account: z.number().int(), importId: z.number().int(), undoes: z.boolean().optional() }),
    z.object({ account: z.number().int(), restoredDelete: z.string() }),
  ]),
  ...oneByOneInAccount,
})
