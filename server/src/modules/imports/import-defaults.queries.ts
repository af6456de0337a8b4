import type { AccountId } from '@portico/contract/accounts'
import { type Db, inAccount } from '#platform/database.ts'

type DefaultsTables = {
  import_defaults: { id: number; purl_columns: string[]; dedup_columns: string[]; notification_emails: string[] }
}

export type ImportDefaultsRow = { purlColumns: string[]; dedupColumns: string[]; notificationEmails: string[] }

// The table holds one row.
const only = 1

export async function selectImportDefaults(db: Db, account: AccountId): Promise<ImportDefaultsRow | undefined> {
  return inAccount<DefaultsTables>(db, account)
    .selectFrom('import_defaults')
    .select([
      'purl_columns as purlColumns',
      'dedup_columns as dedupColumns',
      'notification_emails as notificationEmails',
    ])
    .where('id', '=', only)
    .executeTakeFirst()
}

export async function insertImportDefaults(db: Db, account: AccountId, defaults: ImportDefaultsRow): Promise<void> {
  const row = {
    purl_columns: defaults.purlColumns,
    dedup_columns: defaults.dedupColumns,
    notification_emails: defaults.notificationEmails,
  }
  await inAccount<DefaultsTables>(db, account)
    .insertInto('import_defaults')
    .values({ id: only, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}
