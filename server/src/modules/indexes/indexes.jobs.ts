import { sql } from 'kysely'
import { z } from 'zod'
import { defineJob, oneByOneInAccount } from '#platform/jobs/jobs.ts'

/**
 * Builds or drops one index, as its row says. Serial within an account. The name must not change: jobs of earlier releases
 * may be waiting in the queue.
 */
export const reconcileIndexJob = defineJob({
  name: 'settle-index',
  data: z.object({ account: z.number().int(), indexId: z.number().int() }),
  ...oneByOneInAccount,
  // Those that the portal keeps for searches, remote accesses and changed types never take all places (ADR 0098).
  holder: () => 'portal',
  rows: [
    { table: 'indexes', data: (id) => ({ indexId: Number(id) }), unended: sql`state IN ('building', 'deleting')` },
  ],
  actsWith: {
    noRight:
      'An index is a setting of the account: it shows and changes no contact, and stays when its creator leaves.',
  },
})
