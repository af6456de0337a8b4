import { z } from 'zod'
import { defineJob } from '#platform/jobs.ts'

/** One attempt at one delivery. A failed attempt that can be repeated enqueues the next one. */
export const runDeliveryJob = defineJob({
  name: 'run-delivery',
  data: z.object({ account: z.number().int(), deliveryId: z.uuid() }),
  serialKey: ({ deliveryId }) => deliveryId,
  concurrency: 4,
})
