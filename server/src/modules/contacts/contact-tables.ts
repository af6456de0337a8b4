import type { AccountId } from '@portico/contract/accounts'
import type { RawBuilder } from 'kysely'
import { accountTable } from '#platform/database.ts'

/** The table of contacts, for queries of other modules: `id`, `import_id`, and the columns of fields. */
export function contactsTable(account: AccountId): RawBuilder<unknown> {
  return accountTable(account, 'contacts')
}

/** The table of events, for queries of other modules. */
export function eventsTable(account: AccountId): RawBuilder<unknown> {
  return accountTable(account, 'events')
}
