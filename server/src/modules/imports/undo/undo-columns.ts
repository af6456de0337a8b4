import type { UndoFigures } from '@portico/contract/import-undo'
import { undoDays } from '@portico/contract/undo-limits'
import type { ImportKind } from '@portico/contract/imports'
import type { JobStatus } from '@portico/contract/jobs'
import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'
import type { ActsAs } from '#credentials'
import { hasEnded } from '#platform/jobs/job-runs.ts'

/** The progress of undoing an import. Figures count completed work. */
export type UndoProgress = Omit<UndoFigures, 'removedOthers'> & {
  /** Absent before the first, and in progress of earlier releases. */
  removedOthers?: number
  /** Id of the last processed contact among those the import created; null when all are. */
  createdUpTo: string | null
  /** Id of the last processed contact among those the import changed. */
  changedUpTo: string
  /** Id of the last deleted event; null before the first. */
  eventsUpTo: string | null
  /** Consecutive attempts that committed nothing. */
  stalledAttempts: number
  /** The reason for rejection, for users. */
  reason: string | null
}

/** Columns of table `imports` about undoing an import. */
export type UndoColumns = {
  /** Whether the changes of the import are recorded; false for imports of earlier releases. */
  records_changes: Generated<boolean>
  /** Null if no one has requested the undo. */
  undo_status: Exclude<JobStatus, 'recovery'> | null
  undone_by: string | null
  undo_requested_at: Date | null
  undo_activity_at: Date | null
  /** The request for the undo, checked again before it begins. */
  undo_acts_as: JSONColumnType<ActsAs> | null
  undo: ColumnType<UndoProgress | null, string | null | undefined, string | null>
  /** False once it was undone with all its contacts: later imports need not share its settings. */
  binds: Generated<boolean>
}

const dayMs = 86_400_000

type Undoable = Pick<Selectable<UndoColumns>, 'records_changes' | 'undo_status'> & {
  kind: ImportKind
  status: JobStatus
  processed_records: number
  last_activity_at: Date | null
  created_at: Date
}

/** The moment up to which the record of an import is kept. */
const keptUntil = ({ last_activity_at: ended, created_at: created }: Undoable): Date =>
  new Date((ended ?? created).getTime() + undoDays * dayMs)

/** Returns the moment until which an import can be undone; null when it cannot be. */
export function undoUntil(row: Undoable, now = new Date()): Date | null {
  return undoProblem(row, now) === null ? keptUntil(row) : null
}

/** Returns why an import cannot be undone, for users; null when it can be. */
export function undoProblem(row: Undoable, now = new Date()): string | null {
  if (!hasEnded(row.status)) return 'This import has not ended yet.'
  if (row.undo_status === 'completed') return 'This import has been taken back.'
  if (row.undo_status === 'waiting' || row.undo_status === 'processing') return 'This import is being taken back.'
  if (row.processed_records === 0) return 'This import has loaded nothing.'
  if (keptUntil(row) < now) return `This import ended more than ${undoDays} days ago and cannot be taken back any more.`
  // Events are known by their ids.
  if (row.kind === 'contacts' && !row.records_changes) return 'This import was made before imports could be taken back.'
  return null
}
