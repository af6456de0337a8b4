import { dayOf, startOf } from '@portico/domain/scheduler/cron-times'
import type { CronDraft } from './crons.ts'
import { instructionValue } from './instructions.ts'

/** The parts of an instruction that can be changed in an existing cron: its files, deliveries and emails. */
const changeableParts = new Set([
  'cells',
  'download',
  'notification',
  'notifications',
  'name',
  'delimiter',
  'shouldZip',
  'byteOrderMark',
  'timezoneOffset',
])

type Timed = Pick<CronDraft, 'cron' | 'cronTZ' | 'cronStart' | 'cronEnd' | 'cronRepeat' | 'instruction'>

/**
 * Returns the fields that differ between a stored cron and a sent one but may not change (specification 4 §4). The same
 * time in another notation is no change.
 */
export function changedFields(sent: Timed, kept: Timed): string[] {
  const zone = kept.cronTZ
  const changed: Record<string, boolean> = {
    cron: plainSpaces(sent.cron) !== plainSpaces(kept.cron),
    cronTZ: sent.cronTZ !== zone,
    cronStart: startIn(sent.cronStart, zone) !== startIn(kept.cronStart, zone),
    cronEnd: endIn(sent.cronEnd, zone) !== endIn(kept.cronEnd, zone),
    cronRepeat: (sent.cronRepeat ?? null) !== (kept.cronRepeat ?? null),
  }
  const fields = Object.keys(changed).filter((field) => changed[field])
  return [...fields, ...changedParts(sent.instruction, kept.instruction)]
}

const plainSpaces = (expression: string): string => expression.trim().replaceAll(/\s+/g, ' ')
const isDate = (text: string): boolean => Number.isFinite(Date.parse(text))
const startIn = (start: string, zone: string): string | number =>
  isDate(start) ? startOf({ cronStart: start, cronTZ: zone }) : start
const endIn = (end: string | null | undefined, zone: string): string | null =>
  end ? (isDate(end) ? dayOf(end, zone) : end) : null

function changedParts(sentInstruction: unknown, keptInstruction: unknown): string[] {
  // Another check reports that it is missing.
  if (!sentInstruction) return []
  const sent = partsOf(sentInstruction)
  const kept = partsOf(keptInstruction)
  const names = new Set([...Object.keys(sent), ...Object.keys(kept)])
  return [...names]
    .filter((name) => !changeableParts.has(name) && textOf(sent[name]) !== textOf(kept[name]))
    .map((name) => `instruction.${name}`)
}

/** Returns an empty object for other values: other checks report these. */
function partsOf(instruction: unknown): Record<string, unknown> {
  const value = instructionValue(instruction)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Empty, null and missing are the same; 7 and '7' are the same offset. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
