import type { FilterSettings } from '@portico/contract/filter-settings'
import type { AccountId } from '@portico/contract/accounts'
import { recordAudit } from '#audit'
import { requireAccount } from '#accounts'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { insertFilterSettings, selectFilterSettings } from './filter-settings.queries.ts'

export async function getFilterSettings(db: Db, account: AccountId): Promise<FilterSettings> {
  return (await selectFilterSettings(db, account)) ?? { onlyIndexedFields: false }
}

export async function setFilterSettings(
  db: Db,
  account: AccountId,
  by: Actor,
  settings: FilterSettings,
): Promise<FilterSettings> {
  return inTransaction(db, async (tx) => {
    const details = { old: await getFilterSettings(tx, account), new: settings }
    await insertFilterSettings(tx, account, settings)
    const { name } = await requireAccount(tx, account)
    const action = 'filter settings changed'
    await recordAudit(tx, { ...by, account, action, subject: name, details })
    return settings
  })
}
