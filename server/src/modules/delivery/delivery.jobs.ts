import { sql } from 'kysely'
import { z } from 'zod'
import { defineJob } from '#platform/jobs/jobs.ts'
import type { DeliverySettings } from './delivery-secrets.ts'

const data = z.object({ account: z.number().int(), deliveryId: z.uuid() })

/**
 * One attempt at one delivery to a receiver named by a user. A failed attempt that can be repeated enqueues the next
 * one. Its duration is up to the receiver, so the attempts of a parent account and its
 * sub-accounts take at most a third of the places (`enqueueAttempt`).
 */
export const runDeliveryJob = defineJob({
  name: 'run-delivery',
  data,
  serialKey: ({ deliveryId }) => deliveryId,
  actsWith: 'holder',
  rows: [
    {
      table: 'deliveries',
      data: (deliveryId) => ({ deliveryId }),
      // Others wait for their file, and get a job once it is finished.
      unended: sql`status NOT IN ('completed', 'rejected') AND settings->>'type' <> 'letter' AND file IS NOT NULL`,
      dueAt: 'next_attempt_at',
    },
  ],
  holder: ({ account }) => `account ${account}`,
  concurrency: 6,
  mostOfOne: 2,
})

/**
 * The same for the portal's own emails, about runs, imports and reports, which never wait for receivers named by users.
 */
export const runLetterJob = defineJob({
  name: 'run-letter',
  data,
  serialKey: ({ deliveryId }) => deliveryId,
  actsWith: { noRight: 'The portal itself tells the chosen recipients how a job has ended.' },
  rows: [
    {
      table: 'deliveries',
      data: (deliveryId) => ({ deliveryId }),
      unended: sql`status NOT IN ('completed', 'rejected') AND settings->>'type' = 'letter'`,
      dueAt: 'next_attempt_at',
    },
  ],
  holder: ({ account }) => `account ${account}`,
  concurrency: 2,
})

/** Chooses the kind of job for a delivery with these settings. */
export const chooseJob = ({ type }: DeliverySettings) => (type === 'letter' ? runLetterJob : runDeliveryJob)
