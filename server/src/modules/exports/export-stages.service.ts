import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import { selectEventFields } from '#contacts'
import { expandPredefined, invalidFilter, openContactSource } from '#filters'
import type { Db } from '#platform/database.ts'
import { savedFilterStages } from '#saved-filters'
import { type ExportSelection, isOwnEventField, selectForExport } from './export-selection.ts'

/**
 * What an export gives, by its fields and its filter as they were asked for. Saved filters are looked up each time.
 * @throws invalid_input naming a field that isn't there or is named twice; invalid_filter
 */
export async function readSelection(
  db: Db,
  account: AccountId,
  names: readonly string[],
  filter: string | null,
): Promise<ExportSelection> {
  const stages = await expandPredefined(readStages(filter), (id) => savedFilterStages(db, account, id))
  const eventNames = names.some(isOwnEventField) ? await selectEventFields(db, account) : []
  return selectForExport(await openContactSource(db, account), names, stages, new Set(eventNames))
}

function readStages(filter: string | null): Stages {
  if (filter === null) return []
  let stages: unknown
  try {
    stages = JSON.parse(filter)
  } catch (error) {
    throw invalidFilter(`The filter is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!Array.isArray(stages)) throw invalidFilter('Should be an array')
  return stages.map((stage: unknown) => {
    if (typeof stage !== 'object' || stage === null || Array.isArray(stage)) {
      throw invalidFilter('Each stage of a filter has exactly one operator.')
    }
    // Any object may be read by its keys; what they hold is looked at when the stage is compiled.
    return stage as Record<string, unknown>
  })
}
