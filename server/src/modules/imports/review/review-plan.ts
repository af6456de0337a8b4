import { commonType, type FieldType } from '@portico/contract/contacts'
import type { ContactField } from '#contacts'
import { type ImportPlan, type PlannedColumn, stageGroups } from '../import-plan.ts'

/** A column of the file: the field as it would be after the import, and the present one; null for a new field. */
export type ReviewedColumn = PlannedColumn & { before: ContactField | null }

export type ReviewPlan = Omit<ImportPlan, 'columns'> & { columns: ReviewedColumn[] }

/** The table of fields that do not exist yet. */
const noTable = ''

/**
 * Returns the plan that an import would make, without adding or widening fields. `wanted`: for each of `positions`, the
 * field that its column feeds; see `ensureFields` for `type`.
 */
export function planReview(
  positions: readonly number[],
  wanted: readonly { name: string; type: FieldType | null }[],
  find: (name: string) => ContactField | undefined,
  file: { rows: number; columns: number },
): ReviewPlan {
  const columns = wanted.map(({ name, type }, index): ReviewedColumn => {
    const before = find(name) ?? null
    const field = before
      ? { ...before, type: type === null ? before.type : commonType(before.type, type) }
      : { id: 0, name, type: type ?? 'string', table: noTable, column: '', columnNo: 0 }
    return { position: positions[index] ?? 0, field, before }
  })
  return {
    rows: file.rows,
    fileColumns: file.columns,
    columns,
    groupStarts: stageGroups(file.columns),
    path: 'staged',
    skipsEmptyRows: true,
    buildsIndexes: false,
  }
}
