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
import { type FieldUses, partOfName, partsOfNames, type Renaming } from '#platform/rows/field-uses.ts'
import { versionsKept } from './saving.service.ts'
import {
  lockNaming,
  type NamingVersion,
  selectCurrentNaming,
  selectDefinitions,
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

/** Versions are read together up to this size of their definitions in bytes. */
const sliceBytes = 4_000_000

/** Reads versions in slices, so only a few of them are in memory. */
async function* readInSlices(db: Db, account: AccountId, versions: readonly NamingVersion[]) {
  let slice: NamingVersion[] = []
  let bytes = 0
  for (const version of versions) {
    if (slice.length > 0 && bytes + version.bytes > sliceBytes) {
      yield await selectDefinitions(db, account, slice)
      slice = []
      bytes = 0
    }
    slice.push(version)
    bytes += version.bytes
  }
  if (slice.length > 0) yield await selectDefinitions(db, account, slice)
}

/** The names of dashboards whose definitions meet the condition. */
async function namesOf(
  db: Db,
  account: AccountId,
  versions: readonly NamingVersion[],
  isAsked: (definition: string) => boolean,
): Promise<{ name: string }[]> {
  const found: { name: string }[] = []
  for await (const slice of readInSlices(db, account, versions)) {
    found.push(...slice.filter(({ definition }) => isAsked(definition)).map(({ name }) => ({ name })))
  }
  return found
}

/** The charts of a definition that the contract has validated. */
const chartsIn = (definition: string): CellChart[] =>
  cellsOf(JSON.parse(definition) as Definition).flatMap(({ chart }) => chart ?? [])

const stagesOf = ({ predefined, standard }: CellFilter): Stages =>
  predefined === undefined ? standard : [{ $predefined: predefined }, ...standard]

/** The charts in current versions that may name a field. */
async function chartsNaming(db: Db, account: AccountId, field: string): Promise<{ name: string; chart: CellChart }[]> {
  const found: { name: string; chart: CellChart }[] = []
  for await (const slice of readInSlices(db, account, await selectCurrentNaming(db, account, partOfName(field)))) {
    for (const { name, definition } of slice) found.push(...chartsIn(definition).map((chart) => ({ name, chart })))
  }
  return found
}

/** Field names in cells of dashboards. Earlier versions are renamed too, so they can be restored. */
export const dashboardFields: FieldUses = {
  kind: 'dashboard',
  async find(db, account, rename) {
    const current = await selectCurrentNaming(db, account, partOfName(rename.from))
    return namesOf(db, account, current, (text) => renameInText(text, rename).renamed !== text)
  },
  async findUnclear(db, account, rename) {
    const current = await selectCurrentNaming(db, account, partsOfNames(rename))
    return namesOf(db, account, current, (text) => !keepsMeaning(renameInText, text, rename))
  },
  async findStages(db, account, field) {
    const found = await chartsNaming(db, account, field)
    return found.flatMap(({ name, chart: { filter, filter2 } }) =>
      [filter, filter2].flatMap((asked) => (asked ? { name, stages: stagesOf(asked) } : [])),
    )
  },
  async findMistyped(db, account, field, type) {
    if (isDateType(type)) return []
    const found = await chartsNaming(db, account, field)
    return found
      .filter(({ chart }) => isSameName(dateFieldOf(chart), field))
      .map(({ name }) => ({ name, problem: `"${field}" is the date of one of its cells.` }))
  },
  async rename(tx, account, by, rename) {
    const versions = await lockNaming(tx, account, partOfName(rename.from))
    for await (const slice of readInSlices(tx, account, versions)) {
      const renamed = slice
        // An earlier version whose meaning would change keeps the name; once restored, it reports the field as missing.
        .filter(({ definition }) => keepsMeaning(renameInText, definition, rename))
        .map((row) => ({ ...row, before: row.definition, definition: renameInText(row.definition, rename).renamed }))
        .filter(({ before, definition }) => definition !== before)
      await updateDefinitions(tx, account, renamed)
      for (const { isCurrent, before: _before, ...row } of renamed) {
        if (!isCurrent) continue
        const version = row.version + 1
        await updateToVersion(tx, account, row.dashboard_id, version)
        const changes = `${by.actor} renamed the field ${rename.from} to ${rename.to}`
        await insertVersion(tx, account, { ...row, version, saved_at: new Date(), changes }, versionsKept)
      }
    }
  },
}
