import type { Export } from '@portico/contract/exports'
import { formatNumber } from '#lib/formats.ts'
import { formatPercent, formatRecordSpeed, type WorkSample } from '#domain/job-lists'

export const workSample = ({ processedRecords, lastActivityDate }: Export): WorkSample => ({
  step: 'writing',
  done: processedRecords,
  atMs: lastActivityDate === null ? 0 : Date.parse(lastActivityDate),
})

/** 0 to 1, or null before the contacts are counted. */
export function progressShare({ processedRecords, totalRecords }: Export): number | null {
  if (totalRecords === null) return null
  return totalRecords === 0 ? 1 : Math.min(1, processedRecords / totalRecords)
}

/** Text below the bar: '52% · 12,300 records/s'. */
export function progressText(item: Export, speed: number | null): string {
  const share = progressShare(item)
  if (share === null) return item.status === 'recovery' ? 'Waiting to retry' : 'Counting'
  return [formatPercent(share), speed ? formatRecordSpeed(speed) : 'Writing'].join(' · ')
}

/** '260,300', and the total while it matters. */
export const recordsFigure = ({ status, processedRecords, totalRecords }: Export): string =>
  totalRecords !== null && status !== 'completed' && totalRecords > processedRecords
    ? `${formatNumber(processedRecords)} of ${formatNumber(totalRecords)}`
    : formatNumber(processedRecords)
