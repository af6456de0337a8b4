import type { AccountId } from '@portico/contract/accounts'
import type { ImportDefaults, StoredImportDefaults } from '@portico/contract/imports'
import { type Db, inAccount } from '#platform/database.ts'
import type { VersionColumns, VersionRow } from '#platform/rows/versions.ts'

type DefaultsTables = {
  import_defaults: VersionColumns & {
    id: number
    purl_columns: string[]
    dedup_columns: string[]
    notification_emails: string[]
  }
}

// The table holds one row.
const only = 1

/** Undefined until they are set. */
export async function selectImportDefaults(db: Db, account: AccountId): Promise<StoredImportDefaults | undefined> {
  return inAccount<DefaultsTables>(db, account)
    .selectFrom('import_defaults')
    .select([
      'purl_columns as purlColumns',
      'dedup_columns as dedupColumns',
      'notification_emails as notificationEmails',
      'version',
    ])
    .where('id', '=', only)
    .executeTakeFirst()
}

/** Locks the defaults until the end of the transaction; stores `initial` first if there are none. */
export async function lockImportDefaults(db: Db, account: AccountId, initial: ImportDefaults): Promise<VersionRow> {
  const tables = inAccount<DefaultsTables>(db, account)
  await tables
    .insertInto('import_defaults')
    .values({ id: only, ...columnsOf(initial) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tables
    .selectFrom('import_defaults')
    .select(['version', 'saves'])
    .where('id', '=', only)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function updateImportDefaults(
  db: Db,
  account: AccountId,
  defaults: ImportDefaults,
  next: { version: number; saves: string },
): Promise<void> {
  await inAccount<DefaultsTables>(db, account)
    .updateTable('import_defaults')
    .set({ ...columnsOf(defaults), ...next })
    .where('id', '=', only)
    .execute()
}

const columnsOf = ({ purlColumns, dedupColumns, notificationEmails }: ImportDefaults) => ({
  purl_columns: purlColumns,
  dedup_columns: dedupColumns,
  notification_emails: notificationEmails,
})
