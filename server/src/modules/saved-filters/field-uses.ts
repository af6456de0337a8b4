import { renameField } from '@portico/domain/pipeline/rename-field'
import { formatPipeline, parsePipelineText } from '@portico/domain/pipeline/pipeline-json'
import type { FieldRename, FieldUses } from '#platform/rows/field-uses.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { lockOwnFilters, selectShownFilters, updateFilterStages } from './field-uses.queries.ts'

/** The text of a filter with the new name; the same text where it does not name the field. */
function renameInText(text: string, rename: FieldRename): string {
  const pipeline = parsePipelineText(text)
  if (!pipeline) return text
  const renamed = formatPipeline(renameField(pipeline, rename).pipeline)
  // A filter without the field keeps its text, which may have other blanks.
  return renamed === formatPipeline(pipeline) ? text : renamed
}

/** Saved filters name fields of contacts in their stages. */
export const savedFilterFields: FieldUses = {
  kind: 'filter',
  async find(db, account, rename) {
    const rows = await selectShownFilters(db, account)
    return rows
      .filter(({ aggregate_query: text }) => renameInText(text, rename) !== text)
      .map(({ account_id: owner, name }) => ({ name, isElsewhere: owner !== account }))
  },
  async rename(tx, account, by, rename) {
    for (const row of await lockOwnFilters(tx, account)) {
      const text = renameInText(row.aggregate_query, rename)
      if (text === row.aggregate_query) continue
      await updateFilterStages(tx, account, row.id, text, nextVersion(row, by, ['aggregateQuery']))
    }
  },
}
