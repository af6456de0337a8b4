import { parseJson } from '@portico/contract/json-values'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import { selectEventFields } from '#contacts'
import { expandPredefined, invalidFilter, openContactSource } from '#filters'
import type { Db } from '#platform/database.ts'
import { expandSaved, type FilterUse, savedFilterStages } from '#saved-filters'
import { type ExportSelection, isOwnEventField, selectForExport } from './export-selection.ts'

/**
 * Resolves an export's fields and filter into its selection. Saved filters are looked up each time, and may be used as `use`
 * says; without it, any may.
 * @throws not_allowed for a saved filter; invalid_input naming a field that doesn't exist or is named twice; invalid_filter
 */
export async function readSelection(
  db: Db,
  account: AccountId,
  names: readonly string[],
  filter: string | null,
  use: FilterUse | null,
): Promise<ExportSelection> {
  const named = readStages(filter)
  const stages = use
    ? await expandSaved(db, use, named)
    : await expandPredefined(named, (id) => savedFilterStages(db, account, id))
  const eventNames = names.some(isOwnEventField) ? await selectEventFields(db, account) : []
  return selectForExport(await openContactSource(db, account, { rows: null }), names, stages, new Set(eventNames))
}

/** The stages of a filter as submitted; none without one. @throws invalid_filter */
export function readStages(filter: string | null): Stages {
  if (filter === null) return []
  let stages: unknown
  try {
    stages = parseJson(filter)
  } catch (error) {
    throw invalidFilter(`The filter is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!Array.isArray(stages)) throw invalidFilter('Should be an array')
  return stages.map((stage: unknown) => {
    if (typeof stage !== 'object' || stage === null || Array.isArray(stage)) {
      throw invalidFilter('Each stage of a filter has exactly one operator.')
    }
    // Any object can be read by its keys; its values are checked when the stage is compiled.
    return stage as Record<string, unknown>
  })
}
