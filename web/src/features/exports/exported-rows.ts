import type { Stages } from '@portico/contract/filter'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { readGroupedColumns } from '@portico/domain/pipeline/search-rows'
import { type Filter, matchStagesOf, stagesOf, useSavedFilter } from '#domain/filters'

/** Rows of an export's file. */
export type ExportedRows = {
  /** With a saved filter replaced by its stages; null until they are loaded. */
  stages: Stages | null
  /** Of groups: the columns that the file has. Null where the rows are contacts, or events of them. */
  columns: string[] | null
  /** Name of the saved filter. */
  savedName: string | undefined
  /** Why the saved filter is missing, as a sentence for users. */
  problem: string | null
}

/** The stages that say which contacts are exported, and how they are grouped. */
export function exportStagesOf(filter: Filter): Stages {
  const stages = stagesOf(filter)
  return readGroupedColumns(parsePipeline(stages)) ? stages : matchStagesOf(filter)
}

/** The rows that an export with this filter has; a saved filter is looked up for that. */
export function useExportedRows(filter: Filter): ExportedRows {
  const saved = useSavedFilter(filter.predefined)
  const stages = filter.predefined === null ? exportStagesOf(filter) : readStages(saved.data?.aggregateQuery)
  return {
    stages,
    columns: stages && readGroupedColumns(parsePipeline(stages)),
    savedName: saved.data?.name,
    problem: saved.problem,
  }
}

/** Saved filters are lists of stages, as the server has checked. */
const readStages = (query: string | undefined): Stages | null =>
  query === undefined ? null : (JSON.parse(query) as Stages)
