import { z } from 'zod'
import { defineJob } from '#platform/jobs.ts'

/** Updates the full-text index of an account. */
export const updateFullTextIndexJob = defineJob({
  name: 'index-words',
  data: z.object({ account: z.number().int() }),
  serialKey: ({ account }) => `account ${account}`,
  concurrency: 1,
})
