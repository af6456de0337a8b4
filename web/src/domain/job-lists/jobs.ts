import type { JobStatus } from '@portico/contract/jobs'
import { useState } from 'react'
import { formatDuration, formatFileSize, formatNumber, formatRate } from '#lib/formats.ts'

/** Fields common to imports, exports and similar jobs. Times are ISO 8601. */
export type Job = {
  status: JobStatus
  processedRecords: number
  startDate: string | null
  lastActivityDate: string | null
}

const pollMs = 2_000

/** Whether a job has not ended: its figures still change. */
export const isRunning = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'waiting' || status === 'processing' || status === 'recovery'

/** For a query's `refetchInterval`: polls every 2 seconds while a shown job is running. */
export function pollWhileRunning({ state }: { state: { data: Pick<Job, 'status'>[] | undefined } }): number | false {
  return state.data?.some(isRunning) ? pollMs : false
}

/** How long and how fast a job has worked, for the tooltip of its records; null before it has started. */
export function jobTiming({
  startDate,
  lastActivityDate,
  processedRecords,
}: Job): { time: string; speed: string } | null {
  if (startDate === null || lastActivityDate === null) return null
  const ms = Date.parse(lastActivityDate) - Date.parse(startDate)
  return { time: formatDuration(ms), speed: formatRate(processedRecords, ms) || '–' }
}

/** Progress of a job at one moment; `step` separates pieces of work whose amounts must not be added. */
export type WorkSample = { step: string; done: number; atMs: number }

/** The speed is computed from samples of this period: long enough to be steady, short enough to be current. */
const speedWindowMs = 12_000

/** Adds a sample unless nothing has changed. A new step starts over. */
export function addSample(samples: readonly WorkSample[], next: WorkSample): readonly WorkSample[] {
  const last = samples.at(-1)
  if (last?.step !== next.step || next.done < last.done) return [next]
  if (next.atMs <= last.atMs) return samples
  const recent = samples.filter(({ atMs }) => next.atMs - atMs <= speedWindowMs)
  // The last sample before the window stays if it is the only one: batches may be further apart.
  return [...(recent.length > 0 ? recent : [last]), next]
}

/** Units of work per second, or null with too few samples. */
export function speedOf(samples: readonly WorkSample[]): number | null {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last || last.atMs <= first.atMs) return null
  return ((last.done - first.done) / (last.atMs - first.atMs)) * 1000
}

/** The speed of a polled job, from its progress at each poll; null while unknown. */
export function useSpeed(sample: WorkSample): number | null {
  const [samples, setSamples] = useState<readonly WorkSample[]>([])
  const next = addSample(samples, sample)
  if (next !== samples) setSamples(next)
  return speedOf(next)
}

/** 12,345 records/s */
export const formatRecordSpeed = (perSecond: number): string =>
  `${formatNumber(perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond))} records/s`

/** 8.2 MB/s */
export const formatByteSpeed = (perSecond: number): string => `${formatFileSize(Math.round(perSecond))}/s`

/** A share from 0 to 1 as whole percent; 100 % only when all is done. */
export const formatPercent = (share: number): string => `${Math.floor(Math.min(1, Math.max(0, share)) * 100)}%`
