import type { Day, LimitEffect } from '@portico/contract/identities'
import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import type { ColumnType } from 'kysely'
import type { VersionColumns } from '#platform/rows/versions.ts'

export type Tables = {
  /** `account_id` is null for a global identity. A service identity has a `service_name` in place of a person. */
  identities: VersionColumns & {
    id: string
    person_id: string | null
    service_name: string | null
    /** `foldName` of it. */
    service_name_key: string | null
    account_id: AccountId | null
    user_name: string | null
    access_to_all_sub_accounts: boolean
    is_disabled: boolean
    days: Day[]
    days_effect: LimitEffect | null
    hours: number[]
    hours_effect: LimitEffect | null
    cidr: string | null
    /** The contacts that it may see, as `$match` stages; null for all contacts. */
    row_rule: ColumnType<Stages | null, string | null, string | null>
    /** Null while the person has not accepted it: until then it gives access to nothing. */
    accepted_at: Date | null
    /** The inviter in words; null for the operator. */
    invited_by: string | null
    /** Sessions started before this moment cannot use it. */
    sessions_ended_at: Date | null
    /** The last time that its person entered an account with it. */
    last_entered_at: Date | null
  }
  identity_groups: { identity_id: string; group_id: string }
  /** `account_id` is the owner, null for a global group. */
  groups: VersionColumns & {
    id: string
    account_id: AccountId | null
    name: string
    name_key: string
    is_admin: boolean
  }
  group_policies: { group_id: string; policy_id: string }
  /** `account_id` is the owner, null for a global policy. */
  policies: VersionColumns & {
    id: string
    account_id: AccountId | null
    name: string
    /** `foldName` of the name, by which it is unique among those of its owner. */
    name_key: string
    is_admin: boolean
    actions: string[]
    conditions: string[]
    condition_logic: 'and' | 'or'
  }
}
