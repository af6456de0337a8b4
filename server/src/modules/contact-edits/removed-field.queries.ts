import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db } from '#platform/database.ts'

/** Removes the values of a field from the history of all contacts. */
export async function removeFieldFromChanges(db: Db, account: AccountId, field: number): Promise<void> {
  await sql`
    UPDATE ${accountTable(account, 'contact_changes')}
    SET fields = (
      SELECT coalesce(jsonb_agg(change ORDER BY place), '[]')
      FROM jsonb_array_elements(fields) WITH ORDINALITY AS changes (change, place)
      WHERE change ->> 'field' <> ${String(field)}
    )
    WHERE fields @> ${JSON.stringify([{ field }])}::jsonb`.execute(db)
}
