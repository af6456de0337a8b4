import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'

/** Writes the file of one report. Reports of an account run one at a time. */
export const runReportJob = defineJob({
  name: 'run-report',
  data: z.object({ account: z.number().int(), reportId: z.string() }),
  ...oneByOneInAccount,
  rows: [{ table: 'reports', data: (reportId) => ({ reportId }) }],
})
