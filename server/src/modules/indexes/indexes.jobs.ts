import { z } from 'zod'
import { defineJob } from '#platform/jobs.ts'

/**
 * Builds or drops one index, as its row says. Those of an account one after the other. The name is that of its queue, in
 * which jobs of earlier releases may be waiting.
 */
export const reconcileIndexJob = defineJob({
  name: 'settle-index',
  data: z.object({ account: z.number().int(), indexId: z.number().int() }),
  serialKey: ({ account }) => `account ${account}`,
  concurrency: 2,
})
