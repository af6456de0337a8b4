import type { Stages } from '@portico/contract/filter'
import { type Filter, groupedColumnsOf, matchStagesOf, stagesOf, useSavedFilter } from '#domain/filters'

/** What a filter makes the rows of a file. */
export type ExportedRows = {
  /** With a saved filter's own stages in its place; null while they are not there. */
  stages: Stages | null
  /** Of groups: the columns that the file has. Null where the rows are contacts, or events of them. */
  columns: string[] | null
  /** What the saved filter is called. */
  savedName: string | undefined
  /** Why the saved filter is not there. */
  problem: Error | null
}

/** The stages that say which contacts are exported, and how they are grouped. */
export function exportStagesOf(filter: Filter): Stages {
  const stages = stagesOf(filter)
  return groupedColumnsOf(stages) ? stages : matchStagesOf(filter)
}

/** The rows that an export with this filter has; a saved filter is looked up for that. */
export function useExportedRows(filter: Filter): ExportedRows {
  const saved = useSavedFilter(filter.predefined)
  const stages = filter.predefined === null ? exportStagesOf(filter) : readStages(saved.data?.aggregateQuery)
  return { stages, columns: stages && groupedColumnsOf(stages), savedName: saved.data?.name, problem: saved.error }
}

/** Saved filters are lists of stages, as the server has checked. */
const readStages = (query: string | undefined): Stages | null =>
  query === undefined ? null : (JSON.parse(query) as Stages)
