import { z } from 'zod'
import { defineJob } from '#platform/jobs.ts'

/** Brings the index of words of an account up to date. */
export const updateFullTextIndexJob = defineJob({
  name: 'index-words',
  data: z.object({ account: z.number().int() }),
  serialKey: ({ account }) => `account ${account}`,
  concurrency: 1,
})
