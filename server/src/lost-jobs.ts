import { setTimeout as sleep } from 'node:timers/promises'
import { listAccounts } from '#accounts'
import type { JobKind } from '#platform/jobs/jobs.ts'
import { queueUnqueued } from '#platform/jobs/unqueued-jobs.ts'
import type { Services } from '#platform/services.ts'

const everyMs = 3600 * 1000

/** Enqueues jobs that the queue has lost, at once and then every hour while the process runs. */
export function queueLostJobs(parts: Pick<Services, 'database' | 'jobs' | 'log'>, kinds: readonly JobKind[]): void {
  parts.jobs.keepRunning(async (signal) => {
    while (!signal.aborted) {
      await queueAll(parts, kinds, signal).catch((error: unknown) =>
        parts.log.warn({ err: error }, 'lost jobs were not queued'),
      )
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })
}

async function queueAll(
  parts: Pick<Services, 'database' | 'jobs' | 'log'>,
  kinds: readonly JobKind[],
  signal: AbortSignal,
): Promise<void> {
  const accounts = await listAccounts(parts.database.db)
  await queueUnqueued(
    parts,
    kinds,
    accounts.map(({ Key }) => Key),
    signal,
  )
}
