import type { CellChart, CellFilter } from '@portico/contract/dashboards/cell-chart'
import { cellsOf, dateFieldOf } from '@portico/contract/dashboards/dashboard-cells'
import type { Definition } from '@portico/contract/dashboards/definition'
import { isDateType } from '@portico/domain/field-types'
import { isSameName } from '@portico/domain/names'
import { renameInDefinition } from '@portico/contract/dashboards/renamed-chart'
import type { AccountId } from '@portico/contract/accounts'
import { keepsMeaning } from '@portico/domain/pipeline/rename-field'
import type { Stages } from '@portico/contract/filter'
import type { Db } from '#platform/database.ts'
import {
  type FieldUses,
  partOfName,
  partsOfNames,
  type Renaming,
  type StoredRenaming,
} from '#platform/rows/field-uses.ts'
import { uuidsIn } from '#platform/ids.ts'
import { readInSlices, slicesOf } from '#platform/rows/text-slices.ts'
import { versionsKept } from './saving.service.ts'
import {
  lockNaming,
  type NamingVersion,
  selectCurrentNaming,
  selectDashboardsMark,
  selectDefinitions,
  type StoredVersion,
  updateDefinitions,
  updateToVersion,
} from './field-uses.queries.ts'
import { insertVersion } from './versions.queries.ts'

/** Renames in a stored definition, which the contract validated before it was stored. */
function renameInText(text: string, rename: Renaming): { renamed: string; isClear: boolean } {
  const definition = JSON.parse(text) as Parameters<typeof renameInDefinition>[0]
  const { renamed, isClear } = renameInDefinition(definition, rename)
  const written = JSON.stringify(renamed)
  return { renamed: written === JSON.stringify(definition) ? text : written, isClear }
}

const read = (db: Db, account: AccountId, versions: readonly NamingVersion[]) =>
  readInSlices(versions, (slice) => selectDefinitions(db, account, slice))

/** Ids of other things do no harm. */
const loadUsed = (definition: string, rename: StoredRenaming): Promise<void> => rename.load(uuidsIn(definition))

/** The names of dashboards whose definitions meet the condition, once the saved filters that they use are loaded. */
async function namesOf(
  db: Db,
  account: AccountId,
  { rename, pattern }: { rename: StoredRenaming; pattern: string },
  isAsked: (definition: string) => boolean,
): Promise<{ name: string }[]> {
  const found: { name: string }[] = []
  for await (const { name, definition } of read(db, account, await selectCurrentNaming(db, account, pattern))) {
    await loadUsed(definition, rename)
    if (isAsked(definition)) found.push({ name })
  }
  return found
}

/** The charts of a definition that the contract has validated. */
const chartsIn = (definition: string): CellChart[] =>
  cellsOf(JSON.parse(definition) as Definition).flatMap(({ chart }) => chart ?? [])

const stagesOf = ({ predefined, standard }: CellFilter): Stages =>
  predefined === undefined ? standard : [{ $predefined: predefined }, ...standard]

/** The charts in current versions that may name a field. */
async function* chartsNaming(
  db: Db,
  account: AccountId,
  field: string,
): AsyncGenerator<{ name: string; chart: CellChart }> {
  const naming = await selectCurrentNaming(db, account, partOfName(field))
  for await (const { name, definition } of read(db, account, naming))
    for (const chart of chartsIn(definition)) yield { name, chart }
}

/** Field names in cells of dashboards. Earlier versions are renamed too, so they can be restored. */
export const dashboardFields: FieldUses = {
  kind: 'dashboard',
  async find(db, account, rename) {
    const asked = { rename, pattern: partOfName(rename.from) }
    return namesOf(db, account, asked, (text) => renameInText(text, rename).renamed !== text)
  },
  async *findEach(db, account, sought) {
    for await (const { name, definition } of read(db, account, await selectCurrentNaming(db, account, ''))) {
      await loadUsed(definition, sought.rename)
      yield { name, fields: sought.markedIn(renameInText(definition, sought.rename).renamed) }
    }
  },
  readMark: selectDashboardsMark,
  async findUnclear(db, account, rename) {
    const asked = { rename, pattern: partsOfNames(rename) }
    return namesOf(db, account, asked, (text) => !keepsMeaning(renameInText, text, rename))
  },
  async *findStages(db, account, field) {
    for await (const { name, chart } of chartsNaming(db, account, field))
      for (const asked of [chart.filter, chart.filter2]) if (asked) yield { name, stages: stagesOf(asked) }
  },
  async findMistyped(db, account, field, type) {
    if (isDateType(type)) return []
    const found: { name: string; problem: string }[] = []
    for await (const { name, chart } of chartsNaming(db, account, field)) {
      if (!isSameName(dateFieldOf(chart), field)) continue
      found.push({ name, problem: `"${field}" is the date of one of its cells.` })
    }
    return found
  },
  async rename(tx, account, by, rename) {
    const versions = await lockNaming(tx, account, partOfName(rename.from))
    for (const slice of slicesOf(versions)) {
      const renamed: StoredVersion[] = []
      for await (const row of read(tx, account, slice)) {
        await loadUsed(row.definition, rename)
        // An earlier version whose meaning would change keeps the name; once restored, it reports the field as missing.
        if (!keepsMeaning(renameInText, row.definition, rename)) continue
        const definition = renameInText(row.definition, rename).renamed
        if (definition !== row.definition) renamed.push({ ...row, definition })
      }
      await updateDefinitions(tx, account, renamed)
      for (const { isCurrent, ...row } of renamed) {
        if (!isCurrent) continue
        const version = row.version + 1
        await updateToVersion(tx, account, row.dashboard_id, version)
        const changes = `${by.actor} renamed the field ${rename.from} to ${rename.to}`
        await insertVersion(tx, account, { ...row, version, saved_at: new Date(), changes }, versionsKept)
      }
    }
  },
}
