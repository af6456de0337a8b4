import type { AccountId } from '@portico/contract/accounts'
import type { ColumnType, Generated } from 'kysely'
import type { VersionColumns } from '#platform/rows/versions.ts'

/** The people who must use two-factor regardless of what their accounts require. */
export const twoFactorOf = ['nobody', 'power-admins', 'everybody'] as const
export type TwoFactorOf = (typeof twoFactorOf)[number]

export type Tables = {
  /** Its version counts saves of name, time zone and suspension; the preferences have a version of their own. */
  accounts: VersionColumns & {
    id: Generated<AccountId>
    name: string
    /** `foldName` of the name, by which it is unique. */
    name_key: string
    /** Null unless it is a sub-account. */
    parent_id: AccountId | null
    /** IANA name. */
    time_zone: string
    created_at: ColumnType<Date, never, never>
    suspended_at: ColumnType<Date | null, never, Date | null>
    /** JSON: emails by menu. */
    menus: ColumnType<Record<string, string[]>, never, string>
    timeout_minutes: Generated<number>
    requires_two_factor: Generated<boolean>
    full_screen_is_activity: Generated<boolean>
    preferences_version: VersionColumns['version']
    preferences_saves: VersionColumns['saves']
    fields_version: Generated<number>
    /** A bigint, which the driver returns as text. */
    contacts_version: Generated<string>
    remote_access_version: Generated<number>
    events_until: ColumnType<Date | null, never, Date>
    /** The last migration of its schema; null while the account is being created. Written by migrations.ts. */
    schema_version: ColumnType<string | null, never, never>
  }
  /** A single row. */
  deployment: { two_factor_of: TwoFactorOf }
}
