import { z } from 'zod'
import { defineJob } from '#platform/jobs.ts'

/** Builds or drops one index, as its row says. Those of an account one after the other. */
export const settleIndexJob = defineJob({
  name: 'settle-index',
  data: z.object({ account: z.number().int(), indexId: z.number().int() }),
  serialKey: ({ account }) => `account ${account}`,
  concurrency: 2,
})
