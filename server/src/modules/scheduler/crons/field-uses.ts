import { ExportInstruction } from '@portico/contract/scheduler/instructions'
import { isDateType } from '@portico/domain/field-types'
import { isSameName } from '@portico/domain/names'
import type { Stages } from '@portico/contract/filter'
import { formatPipeline, parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { keepsMeaning, renameField } from '@portico/domain/pipeline/rename-field'
import { type FieldUses, partOfName, partsOfNames, type Renaming } from '#platform/rows/field-uses.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { isDeepStrictEqual } from 'node:util'
import { lockNaming, selectActiveNaming, updateInstruction } from './field-uses.queries.ts'

/** The names in the instruction of an export. A report names only a dashboard, whose fields are renamed separately. */
const Named = ExportInstruction.pick({ exportFields: true, dateField: true }).partial()

type Instruction = Record<string, unknown>

function renameInInstruction(instruction: Instruction, rename: Renaming): { renamed: Instruction; isClear: boolean } {
  const { exportFields, dateField } = Named.loose().safeParse(instruction).data ?? {}
  const query = instruction['aggregateQuery']
  const pipeline = typeof query === 'string' ? parsePipelineText(query) : null
  const follow = renameField(pipeline ?? [], rename, rename.saved)
  const isRenamed = pipeline !== null && formatPipeline(follow.pipeline) !== formatPipeline(pipeline)
  const renamed = {
    ...instruction,
    ...(exportFields && { exportFields: exportFields.map(follow.columnOf) }),
    ...(isRenamed && { aggregateQuery: formatPipeline(follow.pipeline) }),
    ...(dateField !== undefined && isSameName(dateField, rename.from) && { dateField: rename.to }),
  }
  return { renamed, isClear: follow.isClear }
}

/** Instructions of exports name fields of contacts. Those of terminated crons count too, since they can be copied. */
export const cronFields: FieldUses = {
  kind: 'cron',
  async find(db, account, rename) {
    const active = await selectActiveNaming(db, account, partOfName(rename.from))
    return active
      .filter(({ instruction }) => !isDeepStrictEqual(renameInInstruction(instruction, rename).renamed, instruction))
      .map(({ name }) => ({ name }))
  },
  async findUnclear(db, account, rename) {
    const active = await selectActiveNaming(db, account, partsOfNames(rename))
    return active.filter(({ instruction }) => !keepsMeaning(renameInInstruction, instruction, rename))
  },
  async findStages(db, account, field) {
    const active = await selectActiveNaming(db, account, partOfName(field))
    return active.map(({ name, instruction: { aggregateQuery: query } }) => {
      const pipeline = typeof query === 'string' ? parsePipelineText(query) : null
      // The stages of a pipeline that was read from stages.
      return { name, stages: pipeline ? (writePipeline(pipeline) as Stages) : [] }
    })
  },
  async findMistyped(db, account, field, type) {
    if (isDateType(type)) return []
    const active = await selectActiveNaming(db, account, partOfName(field))
    return active
      .filter(({ instruction }) => isSameName(Named.loose().safeParse(instruction).data?.dateField ?? '', field))
      .map(({ name }) => ({ name, problem: `"${field}" is the date of its window.` }))
  },
  async rename(tx, account, by, rename) {
    for (const row of await lockNaming(tx, account, partOfName(rename.from))) {
      // A terminated cron whose meaning would change keeps the name; a copy of it then lacks the field.
      if (!keepsMeaning(renameInInstruction, row.instruction, rename)) continue
      const { renamed } = renameInInstruction(row.instruction, rename)
      if (isDeepStrictEqual(renamed, row.instruction)) continue
      await updateInstruction(tx, account, row.id, renamed, nextVersion(row, by, ['instruction']))
    }
  },
}
