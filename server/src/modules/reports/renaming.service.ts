import type { Stages } from '@portico/contract/filter'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { type FieldRename, hasOtherNames, renameField } from '@portico/domain/pipeline/rename-field'
import { judgedRenaming } from '#credentials'
import type { RenameJudged } from '#platform/registration.ts'
import { readInSlices } from '#platform/rows/text-slices.ts'
import { lockJudged, selectNamingReports, updateSettings } from './renaming.queries.ts'

/** Writes a new name of a field into the row rules with which reports are compared, and the calls that saved their crons. */
export const renameInReports: RenameJudged = async (tx, account, rename) => {
  const { pattern, renameInRequest } = await judgedRenaming(tx, account, rename)
  const naming = await selectNamingReports(tx, account, pattern)
  for await (const { id, settings } of readInSlices(naming, (slice) => lockJudged(tx, account, slice))) {
    const rows = settings.rows && renameInRule(settings.rows, rename)
    const cron = settings.cron && renameInRequest(settings.cron)
    if (rows === settings.rows && cron === settings.cron) continue
    await updateSettings(tx, account, { id, settings: { ...settings, ...(rows && { rows }), ...(cron && { cron }) } })
  }
}

function renameInRule(rule: Stages, { from, to }: FieldRename): Stages {
  const pipeline = parsePipeline(rule)
  const { pipeline: renamed } = renameField(pipeline, { from, to })
  // The pipeline was read from stages, so writing it yields stages.
  return hasOtherNames(pipeline, renamed) ? (writePipeline(renamed) as Stages) : rule
}
