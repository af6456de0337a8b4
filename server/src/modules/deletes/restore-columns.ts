import type { MissingRecords, RestoreState } from '@portico/contract/deletes'
import { undoDays } from '@portico/contract/undo-limits'
import type { DeleteStatus } from '@portico/contract/deletes'
import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'
import type { ActsAs } from '#credentials'
import type { BigintColumn } from '#platform/database.ts'

/** The progress of undoing a delete. Figures count completed work. */
export type RestoreProgress = Pick<RestoreState, 'restoredRecords' | 'missingRecords' | 'missingValues' | 'reason'> &
  MissingRecords & {
    /** Id of the last contact processed. */
    position: string
    /** Consecutive attempts that committed nothing. */
    stalledAttempts: number
  }

/** Columns of table `deletes` about undoing a delete. */
export type RestoreColumns = {
  /** Whether the rows of its contacts are kept, or why not: `none` for deletes of earlier releases. */
  contents: Generated<'none' | 'kept' | 'returned' | 'erased' | 'expired'>
  /** Number of kept contacts. */
  kept_records: BigintColumn
  /** The imports whose rules identified contacts when the delete began. */
  binding_imports: Generated<number[]>
  /** Null if no one has requested the undo. */
  restore_status: RestoreState['status'] | null
  restored_by: string | null
  restore_requested_at: Date | null
  restore_activity_at: Date | null
  /** The call that requested the undo, checked again before it begins. */
  restore_acts_as: JSONColumnType<ActsAs> | null
  restore: ColumnType<RestoreProgress | null, string | null | undefined, string | null>
}

type Restorable = Selectable<Pick<RestoreColumns, 'contents' | 'kept_records' | 'restore_status'>> & {
  status: DeleteStatus
  completed_at: Date | null
  created_at: Date
  merged_into: string | null
}

const dayMs = 86_400_000

/** The moment up to which the rows of a delete are kept. */
const keptUntil = ({ completed_at: ended, created_at: created }: Restorable): Date =>
  new Date((ended ?? created).getTime() + undoDays * dayMs)

/** Returns the moment until which a delete can be undone; null when it cannot be. */
export function restorableUntil(row: Restorable, now = new Date()): Date | null {
  return restoreProblem(row, now) === null ? keptUntil(row) : null
}

const gone = {
  none: 'This delete was made before deletes could be undone.',
  returned: 'This delete has been undone.',
  erased: 'The contacts of this delete were erased for good.',
  expired: `This delete ended more than ${undoDays} days ago and cannot be undone any more.`,
}

const goneMerges = {
  none: 'This contact is not kept.',
  returned: 'This merge has been undone.',
  erased: 'The contact of this merge was erased for good.',
  expired: `This merge was made more than ${undoDays} days ago and cannot be undone any more.`,
}

/** Returns why a delete cannot be undone, for users; null when it can be. */
export function restoreProblem(row: Restorable, now = new Date()): string | null {
  if (row.contents !== 'kept') return (row.merged_into === null ? gone : goneMerges)[row.contents]
  if (row.status === 'processing') return 'This delete has not ended yet.'
  if (row.restore_status === 'waiting' || row.restore_status === 'processing') return 'This delete is being undone.'
  if (Number(row.kept_records) === 0) return 'This delete has deleted nothing.'
  return keptUntil(row) < now ? gone.expired : null
}
