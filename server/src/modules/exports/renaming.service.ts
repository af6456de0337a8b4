import { formatPipeline, parsePipelineText } from '@portico/domain/pipeline/pipeline-json'
import { type FieldRename, hasOtherNames, renameField } from '@portico/domain/pipeline/rename-field'
import { judgedRenaming } from '#credentials'
import type { RenameJudged } from '#platform/registration.ts'
import { readInSlices } from '#platform/rows/text-slices.ts'
import { selectJudged, selectNamingExports, updateJudged } from './renaming.queries.ts'

/**
 * Writes a new name of a field into the rights of finished exports, and into their filters, with which row rules are compared.
 * The fields that they list are those in the header of the file, and keep the names of their time.
 */
export const renameInExports: RenameJudged = async (tx, account, rename) => {
  const { pattern, renameInActsAs } = await judgedRenaming(tx, account, rename)
  const naming = await selectNamingExports(tx, account, pattern)
  for await (const row of readInSlices(naming, (slice) => selectJudged(tx, account, slice))) {
    const filter = row.filter && renameInFilter(row.filter, rename)
    const actsAs = row.acts_as && renameInActsAs(row.acts_as)
    if (filter !== row.filter || actsAs !== row.acts_as)
      await updateJudged(tx, account, { id: row.id, filter, acts_as: actsAs })
  }
}

/** Saved filters may have changed since: names after one are taken for those of fields, as before it. */
function renameInFilter(filter: string, { from, to }: FieldRename): string {
  const pipeline = parsePipelineText(filter)
  if (!pipeline) return filter
  const { pipeline: renamed } = renameField(pipeline, { from, to })
  return hasOtherNames(pipeline, renamed) ? formatPipeline(renamed) : filter
}
