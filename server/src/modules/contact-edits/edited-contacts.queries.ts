import type { AccountId } from '@portico/contract/accounts'
import { type RawBuilder, sql } from 'kysely'
import { accountTable } from '#platform/database.ts'

/** SQL for whether people or programs have changed a contact, given the SQL of its id. */
export const isEdited = (account: AccountId, contact: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`EXISTS (SELECT FROM ${accountTable(account, 'contact_changes')} AS h WHERE h.contact_id = ${contact})`
