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
 * Loads one import, or takes it back (`undoes`). Both run one after the other in an account, in the order they were asked for, so
 * that no contacts are matched by an import while another one is taken back.
 */
export const runImportJob = defineJob({
  name: 'run-import',
  data: z.object({ account: z.number().int(), importId: z.number().int(), undoes: z.boolean().optional() }),
  ...oneByOneInAccount,
  rows: [
    { table: 'imports', data: (id) => ({ importId: Number(id) }) },
    {
      table: 'imports',
      data: (id) => ({ importId: Number(id), undoes: true }),
      unended: sql`undo_status IN ('waiting', 'processing')`,
    },
  ],
})
