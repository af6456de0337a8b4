import type { Activity } from '@portico/contract/activity'
import type { Export } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/identity'
import type { Import } from '@portico/contract/imports'
import type { ListQuery } from '@portico/contract/list-query'
import type { Action } from '@portico/contract/route'
import { listExports } from '#exports'
import type { Asker } from '#filters'
import { listImports } from '#imports'
import type { Caller } from '#platform/http/context.ts'

type Job = Import | Export
type List = (asker: Asker, account: AccountId, query: ListQuery) => Promise<Job[] | { count: number }>
type Kind = { kind: Activity['kind']; action: Action; list: List }

const kinds: readonly Kind[] = [
  { kind: 'import', action: 'contact-service::imports::get', list: listImports },
  { kind: 'export', action: 'contact-service::exports::get', list: listExports },
]

/** The jobs of the account that the caller may list, the latest activity first. */
export async function listActivity(
  asker: Asker,
  account: AccountId,
  { can }: Pick<Caller, 'can'>,
  limit: number,
): Promise<Activity[]> {
  // As if the lists themselves were asked for, without any condition on which.
  const allowed = kinds.filter(({ action }) => can(action, { params: {}, query: {}, body: {} }))
  const found = await Promise.all(allowed.map((kind) => latest(asker, account, kind, limit)))
  return found
    .flat()
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, limit)
}

/** Those that something happened to last, and the newest: one that waits has had no activity yet. */
async function latest(asker: Asker, account: AccountId, { kind, list }: Kind, limit: number): Promise<Activity[]> {
  const [active, newest] = await Promise.all([
    list(asker, account, { sort: { lastActivityDate: -1 }, limit, skip: 0 }),
    list(asker, account, { limit, skip: 0 }),
  ])
  const jobs = [active, newest].flatMap((answer) => (Array.isArray(answer) ? answer : []))
  return [...new Map(jobs.map((job) => [job._id, toActivity(kind, job)])).values()]
}

function toActivity(kind: Activity['kind'], job: Job): Activity {
  const { _id, name, status, recoveryError, creator, lastActivityDate, creationDate, processedRecords } = job
  const at = lastActivityDate ?? creationDate
  return { kind, _id, name, status, reason: recoveryError, creator, at, records: processedRecords }
}
