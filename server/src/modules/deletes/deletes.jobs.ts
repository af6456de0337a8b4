import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'

/** Deletes the contacts of one bulk delete. An account has at most one at a time. */
export const runDeleteJob = defineJob({
  name: 'run-delete',
  data: z.object({ account: z.number().int(), deleteId: z.string() }),
  ...oneByOneInAccount,
  rows: [{ table: 'deletes', data: (deleteId) => ({ deleteId }) }],
})
