import type { AccountId } from '@portico/contract/accounts'
import type { ImportDefaults } from '@portico/contract/imports'
import { recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import { insertImportDefaults, selectImportDefaults } from './import-defaults.queries.ts'

/** Initial values of the form for the account's first import; empty until they are set. */
export async function getImportDefaults(db: Db, account: AccountId): Promise<ImportDefaults> {
  return (await selectImportDefaults(db, account)) ?? { purlColumns: [], dedupColumns: [], notificationEmails: [] }
}

export async function setImportDefaults(
  db: Db,
  account: AccountId,
  by: Actor,
  defaults: ImportDefaults,
): Promise<ImportDefaults> {
  return inTransaction(db, async (tx) => {
    const details = { old: await getImportDefaults(tx, account), new: defaults }
    await insertImportDefaults(tx, account, defaults)
    const action = 'import defaults changed'
    await recordAudit(tx, { account, ...by, action, subject: String(account), details })
    return defaults
  })
}
