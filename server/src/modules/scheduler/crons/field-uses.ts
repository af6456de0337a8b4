import { ExportInstruction } from '@portico/contract/scheduler/instructions'
import { isSameName } from '@portico/domain/names'
import { formatPipeline, parsePipelineText } from '@portico/domain/pipeline/pipeline-json'
import { renameField } from '@portico/domain/pipeline/rename-field'
import { type FieldRename, type FieldUses, partOfName } from '#platform/rows/field-uses.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { isDeepStrictEqual } from 'node:util'
import { lockNaming, selectActiveNaming, updateInstruction } from './field-uses.queries.ts'

/** The names in the instruction of an export. Reports name a dashboard, which follows by itself. */
const Named = ExportInstruction.pick({ exportFields: true, dateField: true }).partial()

function renameInInstruction(instruction: Record<string, unknown>, rename: FieldRename): Record<string, unknown> {
  const { exportFields, dateField } = Named.loose().safeParse(instruction).data ?? {}
  const query = instruction['aggregateQuery']
  const pipeline = typeof query === 'string' ? parsePipelineText(query) : null
  const renamed = renameField(pipeline ?? [], rename)
  const isRenamed = pipeline !== null && formatPipeline(renamed.pipeline) !== formatPipeline(pipeline)
  return {
    ...instruction,
    ...(exportFields && { exportFields: exportFields.map(renamed.columnOf) }),
    ...(isRenamed && { aggregateQuery: formatPipeline(renamed.pipeline) }),
    ...(dateField !== undefined && isSameName(dateField, rename.from) && { dateField: rename.to }),
  }
}

/** Instructions of exports name fields of contacts, and those that a terminated cron had too: it can be copied. */
export const cronFields: FieldUses = {
  kind: 'cron',
  async find(db, account, rename) {
    const active = await selectActiveNaming(db, account, partOfName(rename.from))
    return active
      .filter(({ instruction }) => !isDeepStrictEqual(renameInInstruction(instruction, rename), instruction))
      .map(({ name }) => ({ name }))
  },
  async rename(tx, account, by, rename) {
    for (const row of await lockNaming(tx, account, partOfName(rename.from))) {
      const instruction = renameInInstruction(row.instruction, rename)
      if (isDeepStrictEqual(instruction, row.instruction)) continue
      await updateInstruction(tx, account, row.id, instruction, nextVersion(row, by, ['instruction']))
    }
  },
}
