import { renameInDefinition } from '@portico/contract/dashboards/renamed-chart'
import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import { type FieldRename, type FieldUses, partOfName } from '#platform/rows/field-uses.ts'
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

/** Only definitions that were read by the contract are stored. */
function renameInText(text: string, rename: FieldRename): string {
  const definition = JSON.parse(text) as Parameters<typeof renameInDefinition>[0]
  const renamed = JSON.stringify(renameInDefinition(definition, rename))
  return renamed === JSON.stringify(definition) ? text : renamed
}

/** Versions that are read at once, in bytes of their definitions. */
const sliceBytes = 4_000_000

/** Reads versions in slices, so that memory holds few of them. */
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

/** Cells of dashboards name fields of contacts. Earlier versions follow too, so that they can be restored. */
export const dashboardFields: FieldUses = {
  kind: 'dashboard',
  async find(db, account, rename) {
    const found: { name: string }[] = []
    const current = await selectCurrentNaming(db, account, partOfName(rename.from))
    for await (const slice of readInSlices(db, account, current)) {
      const naming = slice.filter(({ definition }) => renameInText(definition, rename) !== definition)
      found.push(...naming.map(({ name }) => ({ name })))
    }
    return found
  },
  async rename(tx, account, by, rename) {
    const versions = await lockNaming(tx, account, partOfName(rename.from))
    for await (const slice of readInSlices(tx, account, versions)) {
      const renamed = slice
        .map((row) => ({ ...row, before: row.definition, definition: renameInText(row.definition, rename) }))
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
