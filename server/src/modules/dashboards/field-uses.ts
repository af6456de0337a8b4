import { renameInDefinition } from '@portico/contract/dashboards/renamed-chart'
import type { FieldRename, FieldUses } from '#platform/rows/field-uses.ts'
import { versionsKept } from './saving.service.ts'
import { selectDefinitions, updateDefinition, updateToVersion } from './field-uses.queries.ts'
import { insertVersion } from './versions.queries.ts'

/** Only definitions that were read by the contract are stored. */
function renameInText(text: string, rename: FieldRename): string {
  const definition = JSON.parse(text) as Parameters<typeof renameInDefinition>[0]
  const renamed = JSON.stringify(renameInDefinition(definition, rename))
  return renamed === JSON.stringify(definition) ? text : renamed
}

/** Cells of dashboards name fields of contacts. Earlier versions follow too, so that they can be restored. */
export const dashboardFields: FieldUses = {
  kind: 'dashboard',
  async find(db, account, rename) {
    const current = (await selectDefinitions(db, account)).filter(({ isCurrent }) => isCurrent)
    return current
      .filter(({ definition }) => renameInText(definition, rename) !== definition)
      .map(({ name }) => ({ name }))
  },
  async rename(tx, account, by, rename) {
    for (const row of await selectDefinitions(tx, account)) {
      const definition = renameInText(row.definition, rename)
      if (definition === row.definition) continue
      if (!row.isCurrent) {
        await updateDefinition(tx, account, row, definition)
        continue
      }
      const version = row.version + 1
      await updateDefinition(tx, account, row, definition)
      const { isCurrent: _isCurrent, ...saved } = row
      const changes = `${by.actor} renamed the field ${rename.from} to ${rename.to}`
      await updateToVersion(tx, account, row.dashboard_id, version)
      await insertVersion(tx, account, { ...saved, version, definition, saved_at: new Date(), changes }, versionsKept)
    }
  },
}
