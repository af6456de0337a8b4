import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'
import { nightJobs } from './nights.queries.ts'

/**
 * Counts segments of an account for one night, for less than a minute; another job then goes on. `progress`: the time
 * that earlier jobs of the night have taken. The segments are written by users and may be slow, so an account and its
 * sub-accounts together take one of the places (ADR 0158).
 */
export const countSegmentsJob = defineJob({
  name: 'count-segments',
  data: z.object({
    account: z.number().int(),
    nightId: z.number().int(),
    progress: z.object({ spentMs: z.number().nonnegative() }).optional(),
  }),
  ...oneByOneInAccount,
  holder: ({ account }) => holderOf(account),
  mostOfOne: 1,
  rows: [{ table: nightJobs.name, data: (id) => ({ nightId: Number(id) }) }],
  actsWith: { noRight: 'The counts are shown only to people who may search all contacts.' },
})

/** The holder of the jobs of an account and its sub-accounts. `top`: the parent. */
export const holderOf = (top: number): string => `account ${top}`
