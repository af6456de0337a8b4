import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'
import { nightJobs } from './nights.queries.ts'

/** Counts all segments of an account for one night. */
export const countSegmentsJob = defineJob({
  name: 'count-segments',
  data: z.object({ account: z.number().int(), nightId: z.number().int() }),
  ...oneByOneInAccount,
  rows: [{ table: nightJobs.name, data: (id) => ({ nightId: Number(id) }) }],
  actsWith: { noRight: 'The counts are shown only to people who may search all contacts.' },
})
