import type { ExportSettings, StoredExportSettings } from '@portico/contract/exports'
import type { AccountId } from '@portico/contract/accounts'
import { changedValues, recordAudit } from '#audit'
import { requireAccount } from '#accounts'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import { lockExportSettings, selectExportSettings, updateExportSettings } from './export-settings.queries.ts'

const initial: ExportSettings = { guardFormulas: true }

/** Settings of the account's files: formulas are guarded by default. */
export async function getExportSettings(db: Db, account: AccountId): Promise<StoredExportSettings> {
  return (await selectExportSettings(db, account)) ?? { ...initial, version: 1 }
}

/** @throws newer_version if `version` is not the current one */
export async function setExportSettings(
  db: Db,
  account: AccountId,
  by: Actor,
  { version, ...settings }: ExportSettings & { version?: number | undefined },
): Promise<StoredExportSettings> {
  return inTransaction(db, async (tx) => {
    const before = await lockExportSettings(tx, account, initial)
    requireVersion(before, version)
    const { guardFormulas } = await getExportSettings(tx, account)
    const next = nextVersion(before, by, Object.keys(changedValues({ guardFormulas }, settings)))
    await updateExportSettings(tx, account, settings, next)
    const action = 'export settings changed'
    const { name } = await requireAccount(tx, account)
    const details = { old: { guardFormulas }, new: settings }
    await recordAudit(tx, { account, ...by, action, subject: name, details })
    return { ...settings, version: next.version }
  })
}
