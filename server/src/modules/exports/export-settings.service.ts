import type { ExportSettings } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/accounts'
import { recordAudit } from '#audit'
import { requireAccount } from '#accounts'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { insertExportSettings, selectExportSettings } from './export-settings.queries.ts'

/** Settings of the account's files: formulas are guarded by default. */
export async function getExportSettings(db: Db, account: AccountId): Promise<ExportSettings> {
  return (await selectExportSettings(db, account)) ?? { guardFormulas: true }
}

export async function setExportSettings(
  db: Db,
  account: AccountId,
  by: Actor,
  settings: ExportSettings,
): Promise<ExportSettings> {
  return inTransaction(db, async (tx) => {
    const details = { old: await getExportSettings(tx, account), new: settings }
    await insertExportSettings(tx, account, settings)
    const action = 'export settings changed'
    const { name } = await requireAccount(tx, account)
    await recordAudit(tx, { account, ...by, action, subject: name, details })
    return settings
  })
}
