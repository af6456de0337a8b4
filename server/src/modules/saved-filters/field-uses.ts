import type { AccountId } from '@portico/contract/accounts'
import { keepsMeaning, renameField, type SavedPipelines } from '@portico/domain/pipeline/rename-field'
import type { Stages } from '@portico/contract/filter'
import { formatPipeline, parsePipeline, parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type FieldUses, partOfName, type Renaming } from '#platform/rows/field-uses.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { lockOwnFilters, selectShownFilters, updateFilterStages } from './field-uses.queries.ts'
import { savedFilterStages } from './saved-filters.service.ts'
import { lockVersionsNaming, updateVersionStages } from './versions.queries.ts'
import { keepVersion } from './versions.service.ts'

/** The text of a filter with the new name; unchanged if it does not name the field. */
function renameInText(text: string, rename: Renaming): { renamed: string; isClear: boolean } {
  const pipeline = parsePipelineText(text)
  if (!pipeline) return { renamed: text, isClear: true }
  const { pipeline: stages, isClear } = renameField(pipeline, rename, rename.saved)
  const renamed = formatPipeline(stages)
  // A filter without the field keeps its text, whose white space may differ.
  return { renamed: renamed === formatPipeline(pipeline) ? text : renamed, isClear }
}

/** The stages of a stored filter; empty if it cannot be read. */
const readStages = (text: string): Stages => {
  const pipeline = parsePipelineText(text)
  // The pipeline was read from stages, so writing it yields stages.
  return pipeline ? (writePipeline(pipeline) as Stages) : []
}

/** Saved filters name fields of contacts in their stages. */
export const savedFilterFields: FieldUses = {
  kind: 'filter',
  async find(db, account, rename) {
    const rows = await selectShownFilters(db, account)
    return rows
      .filter(({ aggregate_query: text }) => renameInText(text, rename).renamed !== text)
      .map(({ account_id: owner, name }) => ({ name, isElsewhere: owner !== account }))
  },
  async findUnclear(db, account, rename) {
    const own = (await selectShownFilters(db, account)).filter(({ account_id: owner }) => owner === account)
    return own.filter(({ aggregate_query: text }) => !keepsMeaning(renameInText, text, rename))
  },
  async findStages(db, account) {
    const rows = await selectShownFilters(db, account)
    return rows.map(({ aggregate_query: text, name }) => ({ name, stages: readStages(text) }))
  },
  async rename(tx, account, by, rename) {
    const own = await lockOwnFilters(tx, account)
    await renameInVersions(tx, account, rename)
    for (const row of own) {
      const { renamed } = renameInText(row.aggregate_query, rename)
      if (renamed === row.aggregate_query) continue
      const saved = await updateFilterStages(tx, account, row.id, renamed, nextVersion(row, by, ['aggregateQuery']))
      if (saved) await keepVersion(tx, account, saved)
    }
  },
}

/** Earlier versions are renamed too, so that they can be restored. One whose meaning would change keeps the name. */
async function renameInVersions(tx: Db, account: AccountId, rename: Renaming): Promise<void> {
  for (const row of await lockVersionsNaming(tx, account, partOfName(rename.from))) {
    const text = row.aggregate_query
    if (!keepsMeaning(renameInText, text, rename)) continue
    const { renamed } = renameInText(text, rename)
    if (renamed !== text) await updateVersionStages(tx, account, row, renamed)
  }
}

/** The current stages of all saved filters that the account can see. */
export async function readSavedPipelines(db: Db, account: AccountId): Promise<SavedPipelines> {
  const found = new Map<string, ReturnType<SavedPipelines>>()
  for (const { id, account_id: owner, aggregate_query: text } of await selectShownFilters(db, account))
    found.set(id, owner === account ? parsePipelineText(text) : await readShared(db, account, id))
  return (id) => found.get(id) ?? null
}

/**
 * A filter of the parent account, with the filters it uses that are hidden here; null if one of them no longer exists.
 */
async function readShared(db: Db, account: AccountId, id: string): Promise<ReturnType<SavedPipelines>> {
  try {
    const stages = await savedFilterStages(db, account, id)
    return stages && parsePipeline(stages)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
