import type { AccountId } from '@portico/contract/accounts'
import type { ImportDefaults, StoredImportDefaults } from '@portico/contract/imports'
import { changedValues, recordAudit } from '#audit'
import type { Actor } from '#platform/actor.ts'
import type { Db } from '#platform/database.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import { lockImportDefaults, selectImportDefaults, updateImportDefaults } from './import-defaults.queries.ts'

const initial: ImportDefaults = { purlColumns: [], dedupColumns: [], notificationEmails: [] }

/** Returns the initial values of the form for the account's first import; empty until they are set. */
export async function getImportDefaults(db: Db, account: AccountId): Promise<StoredImportDefaults> {
  return (await selectImportDefaults(db, account)) ?? { ...initial, version: 1 }
}

/** @throws newer_version if `version` is not the current one */
export async function setImportDefaults(
  db: Db,
  account: AccountId,
  by: Actor,
  { version, ...defaults }: ImportDefaults & { version?: number | undefined },
): Promise<StoredImportDefaults> {
  // Renaming a field, which updates the defaults, waits for this.
  return withLock(db, accountLock('importDefaults', account), async (tx) => {
    const before = await lockImportDefaults(tx, account, initial)
    requireVersion(before, version)
    const { version: _version, ...old } = await getImportDefaults(tx, account)
    const next = nextVersion(before, by, Object.keys(changedValues(old, defaults)))
    await updateImportDefaults(tx, account, defaults, next)
    const action = 'import defaults changed'
    await recordAudit(tx, { account, ...by, action, subject: String(account), details: { old, new: defaults } })
    return { ...defaults, version: next.version }
  })
}
