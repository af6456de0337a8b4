import { z } from 'zod'
import { defineJob } from '#platform/jobs/jobs.ts'
import type { DeliverySettings } from './delivery-secrets.ts'

const data = z.object({ account: z.number().int(), deliveryId: z.uuid() })

/**
 * One attempt at one delivery to a receiver that a user named. A failed attempt that can be repeated enqueues the next one. How
 * long it takes is up to the receiver, so those of an account take a third of the places.
 */
export const runDeliveryJob = defineJob({
  name: 'run-delivery',
  data,
  serialKey: ({ deliveryId }) => deliveryId,
  actsWith: 'holder',
  holder: ({ account }) => `account ${account}`,
  concurrency: 6,
  mostOfOne: 2,
})

/** The same for the portal's own emails, about runs, imports and reports: they never wait for receivers of users. */
export const runLetterJob = defineJob({
  name: 'run-letter',
  data,
  serialKey: ({ deliveryId }) => deliveryId,
  actsWith: { noRight: 'The portal itself tells the chosen recipients how a job has ended.' },
  holder: ({ account }) => `account ${account}`,
  concurrency: 2,
})

/** The kind of job that a delivery with these settings is. */
export const chooseJob = ({ type }: DeliverySettings) => (type === 'letter' ? runLetterJob : runDeliveryJob)
