import { z } from 'zod'
import { defineJob } from '#platform/jobs/jobs.ts'

/** Updates the full-text index of an account. */
export const updateFullTextIndexJob = defineJob({
  name: 'index-words',
  data: z.object({ account: z.number().int() }),
  serialKey: ({ account }) => `account ${account}`,
  actsWith: { noRight: 'The portal builds it for all searches of the account.' },
  rows: [],
  concurrency: 1,
})
