import type { Import, ImportPhase } from '@portico/contract/imports'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { formatByteSpeed, formatPercent, formatRecordSpeed, type WorkSample } from '#domain/job-lists'

const phaseTexts: Record<ImportPhase, string> = {
  examining: 'Examining file',
  staging: 'Reading rows',
  matching: 'Matching rows',
  loading: 'Loading',
  indexing: 'Building indexes',
}

export const phaseText = (phase: ImportPhase | null): string | null => phase && phaseTexts[phase]

/** Completed work of the phase: bytes while the file is examined, records afterwards. */
export function workSample(item: Import): WorkSample {
  const { phase, phaseProgress, processedRecords, totalRecords, fileSize, lastActivityDate } = item
  const atMs = lastActivityDate === null ? 0 : Date.parse(lastActivityDate)
  if (phase === 'loading') return { step: phase, done: processedRecords, atMs }
  const whole = phase === 'examining' ? fileSize : (totalRecords ?? 0)
  return { step: phase ?? 'none', done: phaseProgress * whole, atMs }
}

/** Text below the bar: 'Loading · 52% · 12,300 records/s'. `speed` in units of `workSample` per second. */
export function progressText(
  { status, phase, phaseProgress }: Pick<Import, 'status' | 'phase' | 'phaseProgress'>,
  speed: number | null,
): string {
  if (phase === null) return status === 'recovery' ? 'Waiting to retry' : 'Starting'
  if (isOpaque({ phase, phaseProgress })) return phaseTexts[phase]
  const rate = speed && (phase === 'examining' ? formatByteSpeed(speed) : formatRecordSpeed(speed))
  return [phaseTexts[phase], formatPercent(phaseProgress), rate].filter(Boolean).join(' · ')
}

/** 0 to 1 within the phase, or null while unknown. */
export const progressShare = (item: Pick<Import, 'phase' | 'phaseProgress'>): number | null =>
  item.phase === null || isOpaque(item) ? null : item.phaseProgress

/** Building indexes and matching happen inside the database, which reports no progress. */
const isOpaque = ({ phase, phaseProgress }: Pick<Import, 'phase' | 'phaseProgress'>): boolean =>
  phase === 'indexing' || (phase === 'matching' && phaseProgress === 0)

/** '260,300', and the total while it matters. */
export const recordsFigure = ({ status, processedRecords, totalRecords }: Import): string =>
  totalRecords !== null && status !== 'completed' && totalRecords > processedRecords
    ? `${formatNumber(processedRecords)} of ${formatNumber(totalRecords)}`
    : formatNumber(processedRecords)

/** '2 rows and 14 cells set aside'; null if there are none. */
export function setAsideText({ setAsideRecords: rows, setAsideCells: cells }: Import): string | null {
  const parts = [rows > 0 && formatCount(rows, 'row'), cells > 0 && formatCount(cells, 'cell')].filter(Boolean)
  return parts.length > 0 ? `${parts.join(' and ')} set aside` : null
}
