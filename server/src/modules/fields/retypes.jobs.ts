import { z } from 'zod'
import { retypeJobs } from '#contacts'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'

/** Changes the type of one field, as its row says. One after the other in an account. */
export const runRetypeJob = defineJob({
  name: 'run-retype',
  data: z.object({ account: z.number().int(), retypeId: z.number().int() }),
  ...oneByOneInAccount,
  rows: [{ table: retypeJobs.name, data: (id) => ({ retypeId: Number(id) }) }],
  actsWith: {
    noRight:
      'A type is a setting of the account: its change shows no contact, loses no value, and goes on when its creator leaves.',
  },
})
