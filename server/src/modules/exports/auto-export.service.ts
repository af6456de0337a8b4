import type { AccountId } from '@portico/contract/accounts'
import type { ExportDraft } from '@portico/contract/exports'
import { matching } from '@portico/domain/pipeline/match-json'
import { recordAudit } from '#audit'
import { listContactFields } from '#contacts'
import { actingHolder, actsAsRefusal } from '#credentials'
import type { FinishedImport } from '#imports'
import type { Database } from '#platform/database.ts'
import { exportCall, filterUse } from './export-rights.ts'
import { type CreateDeps, createExport, type Exporter } from './exports.service.ts'
import { isExportNameTaken } from './exports.queries.ts'

type Deps = Pick<CreateDeps, 'jobs' | 'sealer'> & { database: Database }

/**
 * Exports the contacts of a completed import, with their PURLs, if the import has "Auto Export" set, with the rights of
 * the identity that requested the import. Safe to repeat: the export's name contains the import's number, and names are
 * unique.
 */
export async function exportImport(
  { database, jobs, sealer }: Deps,
  account: AccountId,
  completed: FinishedImport,
): Promise<void> {
  const { db } = database
  if (!completed.auto_export) return
  const name = `${completed.name.slice(0, 70)} - import ${completed.id}`
  if (await isExportNameTaken(db, account, name)) return
  const imported = new Set(completed.plan?.columns.map(({ field }) => field.name))
  const fields = (await listContactFields(db, account)).filter((field) => imported.has(field.name))
  const by = { actor: completed.creator, address: null, via: { kind: 'portal' as const, name: 'Auto Export' } }
  const draft: ExportDraft = {
    name,
    delimiter: 'csv',
    exportFields: [...fields.map((field) => field.name), ...(completed.generate_purl ? ['purl'] : [])],
    aggregateQuery: JSON.stringify(matching({ Import: String(completed.id) })),
  }
  const exporter = await exporterOf(database, account, completed, draft)
  if (typeof exporter === 'string') {
    const details = { import: completed.id, reason: exporter }
    await recordAudit(db, { account, ...by, action: 'automatic export refused', subject: name, details })
    return
  }
  // Identities with a row rule cannot import.
  await createExport({ db, jobs, sealer }, { account, rows: null }, by, draft, exporter)
}

/**
 * The right of the import's holder to this export, null for an import of the portal itself; or the reason it is
 * missing.
 */
async function exporterOf(
  database: Database,
  account: AccountId,
  { holder }: FinishedImport,
  draft: ExportDraft,
): Promise<Exporter | string> {
  if (holder === null) return null
  const acting = await actingHolder(database.pool, account, holder)
  if ('refusal' in acting) return acting.refusal
  const actsAs = { ...exportCall(account, draft), holder }
  const refusal = await actsAsRefusal(database, actsAs)
  return refusal ?? { actsAs, use: filterUse(database.pool, account, acting.caller, draft) }
}
