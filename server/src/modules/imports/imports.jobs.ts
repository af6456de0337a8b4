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
 * Loads one import, undoes it (`undoes`), undoes a bulk delete (`restoredDelete`, its id), or computes the dedup keys of
 * existing contacts (`computesKeys`, the id of the computation). An account runs these one
 * at a time, in the order of the requests: no import matches contacts while others are added or removed.
 */
export const runImportJob = defineJob({
  name: 'run-import',
  data: z.union([
    z.object({ account: z.number().int(), importId: z.number().int(), undoes: z.boolean().optional() }),
    z.object({ account: z.number().int(), restoredDelete: z.string() }),
    z.object({ account: z.number().int(), computesKeys: z.string() }),
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
    { table: 'key_computations', data: (id) => ({ computesKeys: id }) },
  ],
})
