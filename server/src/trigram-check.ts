import { listAccounts } from '#accounts'
import { findTrigramSupport, tendTrigramIndexes } from '#indexes'
import type { Services } from '#platform/services.ts'

/**
 * Says once in the log where the database can have no trigram indexes, and has those dropped that came with a backup of
 * another database: in this one they might not find all contacts.
 */
export function checkTrigrams(parts: Pick<Services, 'database' | 'jobs' | 'log'>): void {
  const { jobs, log } = parts
  jobs.keepRunning((signal) =>
    check(parts, signal).catch((error: unknown) => log.warn({ err: error }, 'trigram indexes were not checked')),
  )
}

async function check(
  { database: { db }, jobs, log }: Pick<Services, 'database' | 'jobs' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const { problem } = await findTrigramSupport(db)
  if (problem === null) return
  log.info({ problem }, 'searches for parts of texts read all contacts: the portal keeps no trigram indexes')
  for (const { Key: account } of await listAccounts(db)) {
    if (signal.aborted) return
    await tendTrigramIndexes({ db, jobs }, account).catch((error: unknown) =>
      log.warn({ err: error, account }, 'the trigram indexes of an account were not checked'),
    )
  }
}
