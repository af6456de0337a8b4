import type { Activity } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/accounts'
import type { QueryContext } from '#filters'
import type { Caller } from '#platform/http/context.ts'
import type { JobSource, ListedJob } from '#platform/registration.ts'

/** The jobs of the account that the caller may list, latest activity first. */
export async function listActivity(
  context: QueryContext,
  account: AccountId,
  caller: Pick<Caller, 'can' | 'rows' | 'email'>,
  sources: readonly JobSource[],
  limit: number,
): Promise<Activity[]> {
  // Checked like a call of the list itself, without conditions on its parameters.
  const request = { params: {}, query: {}, body: {} }
  const allowed = sources.filter(({ action }) => caller.can(action, request))
  const reader = (access: JobSource['action']) => ({ ...context, caller, rows: caller.rows({ access }, request) })
  const found = await Promise.all(allowed.map((source) => latest(reader(source.action), account, source, limit)))
  return found
    .flat()
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, limit)
}

/** The jobs with the latest activity, and the newest jobs: a waiting job has had no activity yet. */
async function latest(
  context: Parameters<JobSource['list']>[0],
  account: AccountId,
  { kind, list }: JobSource,
  limit: number,
): Promise<Activity[]> {
  const [active, newest] = await Promise.all([
    list(context, account, { sort: { lastActivityDate: -1 }, limit, skip: 0 }),
    list(context, account, { limit, skip: 0 }),
  ])
  const jobs = [active, newest].flatMap((reply) => (Array.isArray(reply) ? reply : []))
  return [...new Map(jobs.map((job) => [job._id, toActivity(kind, job)])).values()]
}

function toActivity(kind: Activity['kind'], job: ListedJob): Activity {
  const { _id, name, status, recoveryError, creator, lastActivityDate, creationDate, processedRecords } = job
  const at = lastActivityDate ?? creationDate
  return { kind, _id, name, status, reason: recoveryError, creator, at, records: processedRecords }
}
