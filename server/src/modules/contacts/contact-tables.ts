import type { AccountId } from '@portico/contract/accounts'
import type { RawBuilder } from 'kysely'
import { accountTable } from '#platform/database.ts'

/** The table of contacts, to be read by queries of other modules: `id`, `import_id`, and columns of fields. */
export function contactsTable(account: AccountId): RawBuilder<unknown> {
  return accountTable(account, 'contacts')
}

/** The table of events, to be read by queries of other modules. */
export function eventsTable(account: AccountId): RawBuilder<unknown> {
  return accountTable(account, 'events')
}
