import { z } from 'zod'
import { defineJob } from '#platform/jobs.ts'

/** One attempt at one delivery. One that has to be repeated puts the next in line, for a later time. */
export const runDeliveryJob = defineJob({
  name: 'run-delivery',
  data: z.object({ account: z.number().int(), deliveryId: z.uuid() }),
  serialKey: ({ deliveryId }) => deliveryId,
  concurrency: 4,
})
