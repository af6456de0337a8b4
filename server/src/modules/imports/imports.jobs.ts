import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'

/** Loads one import. Imports of an account run one after the other, in the order they were submitted. */
export const runImportJob = defineJob({
  name: 'run-import',
  data: z.object({ account: z.number().int(), importId: z.number().int() }),
  ...oneByOneInAccount,
})
