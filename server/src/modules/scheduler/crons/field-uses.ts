import { ExportInstruction } from '@portico/contract/scheduler/instructions'
import { isDateType } from '@portico/domain/field-types'
import { isSameName } from '@portico/domain/names'
import type { Stages } from '@portico/contract/filter'
import { formatPipeline, parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { keepsMeaning, nameAfter, renameField, savedIn } from '@portico/domain/pipeline/rename-field'
import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import {
  type FieldUses,
  inWrittenJson,
  partOfName,
  partsOfNames,
  type Renaming,
  type StoredRenaming,
} from '#platform/rows/field-uses.ts'
import { readInSlices } from '#platform/rows/text-slices.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { isDeepStrictEqual } from 'node:util'
import type { CronRow } from '../tables.ts'
import {
  lockSomeCrons,
  selectCronsMark,
  selectNaming,
  selectSomeCrons,
  updateInstruction,
} from './field-uses.queries.ts'

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
    ...(dateField !== undefined && { dateField: nameAfter(rename, dateField) }),
  }
  return { renamed, isClear: follow.isClear }
}

/** Reads the crons that are not terminated and may name a field, in slices. `pattern`: of the names in their texts. */
async function* activeNaming(db: Db, account: AccountId, pattern: string): AsyncGenerator<CronRow> {
  const naming = await selectNaming(db, account, inWrittenJson(pattern), { withTerminated: false })
  yield* readInSlices(naming, (slice) => selectSomeCrons(db, account, slice))
}

const loadUsed = ({ instruction: { aggregateQuery: query } }: CronRow, rename: StoredRenaming): Promise<void> =>
  rename.load(savedIn((typeof query === 'string' && parsePipelineText(query)) || []))

/** Instructions of exports name fields of contacts. Those of terminated crons count too, since they can be copied. */
export const cronFields: FieldUses = {
  kind: 'cron',
  async find(db, account, rename) {
    const found: { name: string }[] = []
    for await (const row of activeNaming(db, account, partOfName(rename.from))) {
      await loadUsed(row, rename)
      const { name, instruction } = row
      if (!isDeepStrictEqual(renameInInstruction(instruction, rename).renamed, instruction)) found.push({ name })
    }
    return found
  },
  async *findEach(db, account, sought) {
    for await (const row of activeNaming(db, account, '')) {
      await loadUsed(row, sought.rename)
      const { renamed } = renameInInstruction(row.instruction, sought.rename)
      yield { name: row.name, fields: sought.markedIn(JSON.stringify(renamed)) }
    }
  },
  readMark: selectCronsMark,
  async findUnclear(db, account, rename) {
    const found: { name: string }[] = []
    for await (const row of activeNaming(db, account, partsOfNames(rename))) {
      await loadUsed(row, rename)
      if (!keepsMeaning(renameInInstruction, row.instruction, rename)) found.push({ name: row.name })
    }
    return found
  },
  async *findStages(db, account, field) {
    for await (const { name, instruction } of activeNaming(db, account, partOfName(field))) {
      const { aggregateQuery: query } = instruction
      const pipeline = typeof query === 'string' ? parsePipelineText(query) : null
      // The stages of a pipeline that was read from stages.
      yield { name, stages: pipeline ? (writePipeline(pipeline) as Stages) : [] }
    }
  },
  async findMistyped(db, account, field, type) {
    if (isDateType(type)) return []
    const found: { name: string; problem: string }[] = []
    for await (const { name, instruction } of activeNaming(db, account, partOfName(field))) {
      const { dateField = '' } = Named.loose().safeParse(instruction).data ?? {}
      if (isSameName(dateField, field)) found.push({ name, problem: `"${field}" is the date of its window.` })
    }
    return found
  },
  async rename(tx, account, by, rename) {
    const pattern = inWrittenJson(partOfName(rename.from))
    const naming = await selectNaming(tx, account, pattern, { withTerminated: true })
    for await (const row of readInSlices(naming, (slice) => lockSomeCrons(tx, account, slice))) {
      await loadUsed(row, rename)
      // A terminated cron whose meaning would change keeps the name; a copy of it then lacks the field.
      if (!keepsMeaning(renameInInstruction, row.instruction, rename)) continue
      const { renamed } = renameInInstruction(row.instruction, rename)
      if (isDeepStrictEqual(renamed, row.instruction)) continue
      await updateInstruction(tx, account, row.id, renamed, nextVersion(row, by, ['instruction']))
    }
  },
}
