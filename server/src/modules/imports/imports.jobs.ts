import { sql } from 'kysely'
import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'

/** Reads one file ahead of its import. */
export const reviewImportJob = defineJob({
  name: 'review-import',
  data: z.object({ account: z.number().int(), reviewId: z.number().int() }),
  ...oneByOneInAccount,
  rows: [{ table: 'import_reviews', data: (id) => ({ reviewId: Number(id) }) }],
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
  rows: [
    { table: 'imports', data: (id) => ({ importId: Number(id) }) },
    {
      table: 'imports',
      data: (id) => ({ importId: Number(id), undoes: true }),
      unended: sql`undo_status IN ('waiting', 'processing')`,
    },
    {
      table: 'deletes',
      data: (id) => ({ restoredDelete: id }),
      unended: sql`restore_status IN ('waiting', 'processing')`,
    },
  ],
})
