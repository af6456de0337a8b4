import type { AccountId } from '@portico/contract/accounts'

export type Tables = {
  dashboards: {
    id: string
    account_id: AccountId
    author_id: string | null
    name: string
    tags: string[]
    shared_parents: AccountId[] | null
    shared_accounts: AccountId[] | null
    shared_users: string[] | null
    definition: string
    version: number
    saved_by: string | null
    created_at: Date
    updated_at: Date
  }
  dashboard_versions: {
    dashboard_id: string
    version: number
    name: string
    tags: string[]
    definition: string
    saved_by: string
    saved_at: Date
    changes: string
  }
  dashboard_favourites: { person_id: string; dashboard_id: string }
}
