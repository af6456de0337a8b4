import type { Stages } from '@portico/contract/filter'
import type { JobStatus } from '@portico/contract/jobs'
import { matching } from '@portico/domain/pipeline/match-json'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'

/** Filter of a list of jobs: part of the name in any letter case, and one status. */
export type JobFilter = { name: string; status: JobStatus | null }

const statuses: readonly string[] = ['waiting', 'processing', 'completed', 'recovery', 'rejected'] satisfies JobStatus[]

/** The filter in the address; an unknown status is ignored. */
export function readJobFilter(params: URLSearchParams): JobFilter {
  const status = params.get('status')
  return {
    name: params.get('name') ?? '',
    // Checked against the list of statuses.
    status: status !== null && statuses.includes(status) ? (status as JobStatus) : null,
  }
}

/** The address for a changed filter: goes to the first page, keeps other parameters. */
export function writeJobFilter(params: URLSearchParams, { name, status }: JobFilter): URLSearchParams {
  const next = new URLSearchParams(params)
  next.delete('page')
  if (name.trim()) next.set('name', name.trim())
  else next.delete('name')
  if (status) next.set('status', status)
  else next.delete('status')
  return next
}

/** Stages of the filter language for the filter; none when it is empty. */
export function jobFilterStages({ name, status }: JobFilter): Stages {
  if (!name && !status) return []
  const pattern = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return matching({ ...(status && { status }), ...(name && { name: { $regex: pattern, $options: 'i' } }) })
}

/** The filter of a screen's job list, kept in the address. A change returns to the first page. */
export function useJobFilter() {
  const [params, setParams] = useSearchParams()
  const { name, status } = readJobFilter(params)
  const find = useMemo(() => jobFilterStages({ name, status }), [name, status])
  const change = (part: Partial<JobFilter>): void =>
    setParams((now) => writeJobFilter(now, { ...readJobFilter(now), ...part }), { replace: true })
  return { name, status, find, isActive: find.length > 0, change, clear: () => change({ name: '', status: null }) }
}
