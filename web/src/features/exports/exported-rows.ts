import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { readGroupedColumns } from '@portico/domain/pipeline/search-rows'
import { isEventField } from '#domain/fields'
import { type Filter, matchStagesOf, stagesOf, useSavedFilter } from '#domain/filters'
import { withEventRows } from '#domain/results'

/** Rows of an export's file. */
export type ExportedRows = {
  /** With a saved filter replaced by its stages; null until they are loaded. */
  stages: Pipeline | null
  /** For groups: the columns of the file. Null if the rows are contacts, or their events. */
  columns: string[] | null
  /** Name of the saved filter. */
  savedName: string | undefined
  /** Why the saved filter is missing, as a sentence for users. */
  problem: string | null
}

/** The stages that select the exported contacts, and group them. */
export function exportStagesOf(filter: Filter): Pipeline {
  const stages = stagesOf(filter)
  return readGroupedColumns(stages) ? stages : matchStagesOf(filter)
}

/** The rows of an export of these fields with this filter; looks up a saved filter. */
export function useExportedRows(filter: Filter, exportFields: readonly string[]): ExportedRows {
  const saved = useSavedFilter(filter.predefined)
  const found = filter.predefined === null ? exportStagesOf(filter) : (saved.data?.stages ?? null)
  const stages = found && exportFields.some(isEventField) ? withEventRows(found) : found
  return {
    stages,
    columns: stages && readGroupedColumns(stages),
    savedName: saved.data?.name,
    problem: saved.problem,
  }
}
