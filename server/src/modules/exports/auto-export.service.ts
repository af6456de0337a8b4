import type { AccountId } from '@portico/contract/accounts'
import { matching } from '@portico/contract/stage-readers'
import { listContactFields } from '#contacts'
import type { FinishedImport } from '#imports'
import { type CreateDeps, createExport } from './exports.service.ts'
import { isExportNameTaken } from './exports.queries.ts'

/**
 * Exports the contacts of a completed import, with their PURLs, if the import is set to do so ("Auto Export"). Safe to
 * repeat: the export has the import's number in its name, and names are unique.
 */
export async function exportImport(deps: CreateDeps, account: AccountId, completed: FinishedImport): Promise<void> {
  if (!completed.auto_export) return
  const name = `${completed.name.slice(0, 70)} - import ${completed.id}`
  if (await isExportNameTaken(deps.db, account, name)) return
  const imported = new Set(completed.plan?.columns.map(({ field }) => field.name))
  const fields = (await listContactFields(deps.db, account)).filter((field) => imported.has(field.name))
  await createExport(
    deps,
    account,
    { actor: completed.creator, address: null, via: { kind: 'portal', name: 'Auto Export' } },
    {
      name,
      delimiter: 'csv',
      exportFields: [...fields.map((field) => field.name), ...(completed.generate_purl ? ['purl'] : [])],
      aggregateQuery: JSON.stringify(matching({ Import: String(completed.id) })),
    },
  )
}
