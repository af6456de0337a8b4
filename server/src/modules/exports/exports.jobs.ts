import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'

/** Writes the file of one export. Exports of an account run one at a time, in the order of submission. */
export const runExportJob = defineJob({
  name: 'run-export',
  data: z.object({ account: z.number().int(), exportId: z.string() }),
  ...oneByOneInAccount,
  rows: [{ table: 'exports', data: (exportId) => ({ exportId }) }],
})
