import { ExportInstruction } from '@portico/contract/scheduler/instructions'
import { isDateType } from '@portico/domain/field-types'
import { isSameName } from '@portico/domain/names'
import type { Stages } from '@portico/contract/filter'
import { formatPipeline, parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import {
  hasOtherNames,
  keepsMeaning,
  nameAfter,
  renameField,
  savedIn,
  withoutValues,
} from '@portico/domain/pipeline/rename-field'
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

/** The parts of an instruction that name fields. `stages`: null without a filter that can be read. */
type Naming = { exportFields?: string[]; dateField?: string; stages: Pipeline | null }

function readNaming(instruction: Instruction): Naming {
  const { exportFields, dateField } = Named.loose().safeParse(instruction).data ?? {}
  const query = instruction['aggregateQuery']
  return {
    ...(exportFields && { exportFields }),
    ...(dateField !== undefined && { dateField }),
    stages: typeof query === 'string' ? parsePipelineText(query) : null,
  }
}

/** The same without long lists of values: it is judged many times. */
function readNames(instruction: Instruction): Naming {
  const { stages, ...others } = readNaming(instruction)
  return { ...others, stages: stages && withoutValues(stages) }
}

function renameNaming(
  { exportFields, dateField, stages }: Naming,
  rename: Renaming,
): { renamed: Naming; isClear: boolean } {
  const follow = renameField(stages ?? [], rename, rename.saved)
  const renamed = {
    ...(exportFields && { exportFields: exportFields.map(follow.columnOf) }),
    ...(dateField !== undefined && { dateField: nameAfter(rename, dateField) }),
    stages: stages && follow.pipeline,
  }
  return { renamed, isClear: follow.isClear }
}

/** An instruction whose filter does not name the field keeps its text, whose white space may differ. */
function renameInInstruction(instruction: Instruction, rename: Renaming): Instruction {
  const before = readNaming(instruction)
  const { stages, ...others } = renameNaming(before, rename).renamed
  const isRenamed = stages && before.stages && hasOtherNames(before.stages, stages)
  return { ...instruction, ...others, ...(isRenamed && { aggregateQuery: formatPipeline(stages) }) }
}

/** Reads the crons that are not terminated and may name a field, in slices. `pattern`: of the names in their texts. */
async function* activeNaming(db: Db, account: AccountId, pattern: string): AsyncGenerator<CronRow> {
  const naming = await selectNaming(db, account, inWrittenJson(pattern), { withTerminated: false })
  yield* readInSlices(naming, (slice) => selectSomeCrons(db, account, slice))
}

/** Reads what a cron names, once the saved filters that it uses are loaded. */
async function readLoaded({ instruction }: CronRow, rename: StoredRenaming): Promise<Naming> {
  const names = readNames(instruction)
  await rename.load(savedIn(names.stages ?? []))
  return names
}

const isNamed = (names: Naming, rename: Renaming): boolean =>
  !isDeepStrictEqual(renameNaming(names, rename).renamed, names)

/** Instructions of exports name fields of contacts. Those of terminated crons count too, since they can be copied. */
export const cronFields: FieldUses = {
  kind: 'cron',
  async find(db, account, rename) {
    const found: { name: string }[] = []
    for await (const row of activeNaming(db, account, partOfName(rename.from))) {
      if (isNamed(await readLoaded(row, rename), rename)) found.push({ name: row.name })
    }
    return found
  },
  async *findEach(db, account, sought) {
    for await (const row of activeNaming(db, account, '')) {
      const { renamed } = renameNaming(await readLoaded(row, sought.rename), sought.rename)
      yield { name: row.name, fields: sought.markedIn(JSON.stringify(renamed)) }
    }
  },
  readMark: selectCronsMark,
  async findUnclear(db, account, rename) {
    const found: { name: string }[] = []
    for await (const row of activeNaming(db, account, partsOfNames(rename))) {
      const names = await readLoaded(row, rename)
      if (!keepsMeaning(renameNaming, names, rename)) found.push({ name: row.name })
    }
    return found
  },
  async *findStages(db, account, field) {
    for await (const { name, instruction } of activeNaming(db, account, partOfName(field))) {
      const { stages } = readNaming(instruction)
      // The stages of a pipeline that was read from stages.
      yield { name, stages: stages ? (writePipeline(stages) as Stages) : [] }
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
      const names = await readLoaded(row, rename)
      // A terminated cron whose meaning would change keeps the name; a copy of it then lacks the field.
      if (!keepsMeaning(renameNaming, names, rename) || !isNamed(names, rename)) continue
      const renamed = renameInInstruction(row.instruction, rename)
      await updateInstruction(tx, account, row.id, renamed, nextVersion(row, by, ['instruction']))
    }
  },
}
