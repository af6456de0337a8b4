import { isServerAway } from '#platform/citus/server-away.ts'
import type { JobAttempt } from '#platform/jobs/jobs.ts'
import type { Logger } from '#platform/log.ts'

/** Attempts at a job after which its follow-up work no longer keeps the account's next job waiting: about five minutes. */
const mostAttempts = 20

/**
 * Does the work that follows a change of an account's data. Each step finds by itself what there is to do, so one that
 * fails can be repeated after the next change too. Runs all steps, even after a failure, and then throws the first
 * error: the queue repeats the job. If the job has been attempted often enough, the errors are logged instead, since the
 * account's next import must not wait forever; while the account's server is down it waits.
 */
export async function followUp(
  log: Logger,
  { earlier }: Pick<JobAttempt, 'earlier'>,
  steps: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const errors: unknown[] = []
  for (const step of steps) await step().catch((error: unknown) => errors.push(error))
  if (errors.length === 0) return
  if (earlier + 1 < mostAttempts || errors.some(isServerAway)) throw errors[0]
  for (const err of errors) log.error({ err }, 'work after a change of an account failed repeatedly; the job ends')
}
