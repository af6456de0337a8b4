import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { readGroupedColumns } from '@portico/domain/pipeline/search-rows'
import { isEventField } from '#domain/fields'
import { type Filter, matchStagesOf, stagesOf, useSavedFilter } from '#domain/filters'
import { withEventRows } from '#domain/results'

/** Rows of an export's file. */
export type ExportedRows = {
  /** With a saved filter replaced by its stages; null until they are loaded. */
  stages: Pipeline | null
  /** Of groups: the columns that the file has. Null where the rows are contacts, or events of them. */
  columns: string[] | null
  /** Name of the saved filter. */
  savedName: string | undefined
  /** Why the saved filter is missing, as a sentence for users. */
  problem: string | null
}

/** The stages that say which contacts are exported, and how they are grouped. */
export function exportStagesOf(filter: Filter): Pipeline {
  const stages = stagesOf(filter)
  return readGroupedColumns(stages) ? stages : matchStagesOf(filter)
}

/** The rows that an export of these fields with this filter has; a saved filter is looked up for that. */
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
