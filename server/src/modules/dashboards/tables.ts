import type { AccountId } from '@portico/contract/accounts'
import type { ColumnType } from 'kysely'

export type Tables = {
  dashboards: {
    id: ColumnType<string, string, never>
    /** The account in which it was created. */
    account_id: ColumnType<AccountId, AccountId, never>
    /** Null once the person no longer exists. */
    author_id: string | null
    name: string
    tags: string[]
    /** Null for all, as are the next two. */
    shared_parents: AccountId[] | null
    shared_accounts: AccountId[] | null
    /** Emails in lower case. */
    shared_users: string[] | null
    /** The current version. */
    version: number
    created_at: ColumnType<Date, Date, never>
  }
  dashboard_versions: {
    dashboard_id: string
    version: number
    name: string
    tags: string[]
    /** JSON of a `Definition`. */
    definition: string
    /** Null once the person no longer exists. */
    saved_by: string | null
    /** The holder whose rights its cells are read with; null if an earlier release did not record it. */
    holder: string | null
    saved_at: Date
    /** In words. */
    changes: string
  }
  dashboard_favourites: { dashboard_id: string; person_id: string }
}
