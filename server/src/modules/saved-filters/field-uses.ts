import type { AccountId } from '@portico/contract/accounts'
import { hasOtherNames, keepsMeaning, renameField, savedIn, withoutValues } from '@portico/domain/pipeline/rename-field'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import type { Stages } from '@portico/contract/filter'
import { formatPipeline, parsePipelineText, writePipeline } from '@portico/domain/pipeline/pipeline-json'
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
import { freeing } from '#platform/waits/reading-limits.ts'
import {
  lockOwnFilters,
  type NamingFilter,
  selectFiltersMark,
  selectShownFilters,
  selectShownNaming,
  updateFilterStages,
} from './field-uses.queries.ts'
import { selectSomeVersions, selectVersionsNaming, updateVersionStages } from './versions.queries.ts'
import { keepVersion } from './versions.service.ts'

/** The text of a filter with the new name; unchanged if it does not name the field. */
function renameInText(text: string, rename: Renaming): string {
  const pipeline = parsePipelineText(text)
  if (!pipeline) return text
  const { pipeline: renamed } = renameField(pipeline, rename, rename.saved)
  // A filter without the field keeps its text, whose white space may differ.
  return hasOtherNames(pipeline, renamed) ? formatPipeline(renamed) : text
}

/** Reads the stages of a filter without long lists of values, once the filters that it uses are loaded. */
async function readNames(text: string, rename: StoredRenaming): Promise<Pipeline> {
  const pipeline = parsePipelineText(text) ?? []
  await rename.load(savedIn(pipeline))
  return withoutValues(pipeline)
}

function renameStages(stages: Pipeline, rename: Renaming): { renamed: Pipeline; isClear: boolean } {
  const { pipeline: renamed, isClear } = renameField(stages, rename, rename.saved)
  return { renamed, isClear }
}

const isNamed = (stages: Pipeline, rename: Renaming): boolean =>
  hasOtherNames(stages, renameStages(stages, rename).renamed)

/** The stages of a stored filter; empty if it cannot be read. */
const readStages = (text: string): Stages => {
  const pipeline = parsePipelineText(text)
  // The pipeline was read from stages, so writing it yields stages.
  return pipeline ? (writePipeline(pipeline) as Stages) : []
}

/** A filter that uses another one may mean something else though it names no field itself. */
const orUses = (pattern: string): string => (pattern === '' ? '' : `${pattern}|predefined`)

const read = (db: Db, account: AccountId, filters: readonly NamingFilter[]) =>
  readInSlices(filters, (slice) =>
    selectShownFilters(
      db,
      account,
      slice.map(({ id }) => id),
    ),
  )

const ownNaming = async (db: Db, account: AccountId, pattern: string): Promise<NamingFilter[]> =>
  (await selectShownNaming(db, account, pattern)).filter(({ account_id: owner }) => owner === account)

/** Saved filters name fields of contacts in their stages. */
export const savedFilterFields: FieldUses = {
  kind: 'filter',
  async find(db, account, rename) {
    const found: { name: string; isElsewhere: boolean }[] = []
    const naming = await selectShownNaming(db, account, inWrittenJson(partOfName(rename.from)))
    for await (const { account_id: owner, name, aggregate_query: text } of read(db, account, naming)) {
      if (isNamed(await readNames(text, rename), rename)) found.push({ name, isElsewhere: owner !== account })
    }
    return found
  },
  async *findEach(db, account, sought) {
    for await (const { name, aggregate_query: text } of read(db, account, await selectShownNaming(db, account, ''))) {
      const { renamed } = renameStages(await readNames(text, sought.rename), sought.rename)
      yield { name, fields: sought.markedIn(JSON.stringify(renamed)) }
    }
  },
  readMark: selectFiltersMark,
  async findUnclear(db, account, rename) {
    const found: { name: string }[] = []
    const naming = await ownNaming(db, account, orUses(inWrittenJson(partsOfNames(rename))))
    for await (const { name, aggregate_query: text } of read(db, account, naming)) {
      if (!keepsMeaning(renameStages, await readNames(text, rename), rename)) found.push({ name })
    }
    return found
  },
  async *findStages(db, account, field) {
    const naming = await selectShownNaming(db, account, orUses(inWrittenJson(partOfName(field))))
    for await (const { name, aggregate_query: text } of read(db, account, naming))
      yield { name, stages: readStages(text) }
  },
  async rename(tx, account, by, rename) {
    await lockOwnFilters(tx, account)
    await renameInVersions(tx, account, rename)
    const naming = await ownNaming(tx, account, inWrittenJson(partOfName(rename.from)))
    // All are loaded first, as they are before the first one gets the new name.
    for await (const { aggregate_query: text } of read(tx, account, naming)) await readNames(text, rename)
    for await (const row of read(tx, account, naming)) {
      const renamed = renameInText(row.aggregate_query, rename)
      if (renamed === row.aggregate_query) continue
      const next = nextVersion(row, by, ['aggregateQuery'])
      const saved = await freeing(() => updateFilterStages(tx, account, row.id, renamed, next))
      if (saved) await keepVersion(tx, account, saved)
    }
  },
}

/** Earlier versions are renamed too, so that they can be restored. One whose meaning would change keeps the name. */
async function renameInVersions(tx: Db, account: AccountId, rename: StoredRenaming): Promise<void> {
  const naming = await selectVersionsNaming(tx, account, inWrittenJson(partOfName(rename.from)))
  for await (const row of readInSlices(naming, (slice) => selectSomeVersions(tx, account, slice))) {
    const text = row.aggregate_query
    if (!keepsMeaning(renameStages, await readNames(text, rename), rename)) continue
    const renamed = renameInText(text, rename)
    if (renamed !== text) await updateVersionStages(tx, account, row, renamed)
  }
}
