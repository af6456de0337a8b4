import type { ColumnType } from 'kysely'
import type { VersionColumns } from '#platform/rows/versions.ts'

/** Null in a new row. */
type Unset<T> = ColumnType<T | null, undefined, T | null>

export type Tables = {
  /** Its version counts changes of name and photo. */
  persons: VersionColumns & {
    id: string
    /** The form that mail is sent to; as typed, if an earlier release stored it and it has not been corrected. */
    email: string
    /** See `contract/src/email-address.ts`. Null if the address is refused: it finds no person. */
    email_key: Unset<string>
    /** Others have the same key, so it finds none of them. */
    is_ambiguous: ColumnType<boolean, boolean | undefined, boolean>
    /** argon2id; null until the person has chosen a password. */
    password_hash: string | null
    user_name: string | null
    photo_url: Unset<string>
    password_changed_at: Unset<Date>
    password_is_temporary: ColumnType<boolean, boolean | undefined, boolean>
    last_sign_in_at: Unset<Date>
    /** Sealed. */
    two_factor_secret: Unset<string>
    two_factor_since: Unset<Date>
    /** int8, which the driver reads as text. */
    two_factor_last_step: Unset<string | number>
    /** Random; null before the first passkey. */
    passkey_handle: Unset<string>
  }
  passkeys: {
    id: string
    person_id: string
    credential_id: string
    /** COSE. */
    public_key: Buffer
    /** int8, which the driver reads as text. */
    counter: ColumnType<string, number, number>
    transports: string[]
    is_synced: boolean
    name: string
    created_at: Date
    last_used_at: Unset<Date>
  }
}
