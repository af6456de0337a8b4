import type { FilterSettings, StoredFilterSettings } from '@portico/contract/filter-settings'
import type { AccountId } from '@portico/contract/accounts'
import { changedValues, recordAudit } from '#audit'
import { requireAccount } from '#accounts'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import { lockFilterSettings, selectFilterSettings, updateFilterSettings } from './filter-settings.queries.ts'

const initial: FilterSettings = { onlyIndexedFields: false }

export async function getFilterSettings(db: Db, account: AccountId): Promise<StoredFilterSettings> {
  return (await selectFilterSettings(db, account)) ?? { ...initial, version: 1 }
}

/** @throws newer_version if `version` is not the current one */
export async function setFilterSettings(
  db: Db,
  account: AccountId,
  by: Actor,
  { version, ...settings }: FilterSettings & { version?: number | undefined },
): Promise<StoredFilterSettings> {
  return inTransaction(db, async (tx) => {
    const before = await lockFilterSettings(tx, account, initial)
    requireVersion(before, version)
    const { onlyIndexedFields } = await getFilterSettings(tx, account)
    const next = nextVersion(before, by, Object.keys(changedValues({ onlyIndexedFields }, settings)))
    await updateFilterSettings(tx, account, settings, next)
    const { name } = await requireAccount(tx, account)
    const action = 'filter settings changed'
    const details = { old: { onlyIndexedFields }, new: settings }
    await recordAudit(tx, { ...by, account, action, subject: name, details })
    return { ...settings, version: next.version }
  })
}
