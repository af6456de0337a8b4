import type { AccountId } from '@portico/contract/accounts'
import type { Generated } from 'kysely'

export type Tables = {
  api_credentials: {
    /** Identifies it in items stored with it; never reused, like its number. */
    id: Generated<string>
    identity_id: string
    /** Sequential within the identity. */
    number: number
    /** 1 to 50 characters. */
    name: string
    access_key: string
    secret_hash: string
    is_active: boolean
    created_at: Date
    last_used_at: Date | null
    /** From then on it no longer authenticates; null means never. */
    expires_at: Date | null
    /** The creator as in the audit log; null if unknown. */
    created_by: string | null
    /** The administrator who switched it off, as in the audit log, unless it is their own; null otherwise. */
    blocked_by: string | null
  }
  impersonations: {
    id: string
    /** The creator, whose rights the link grants. */
    person_id: string
    account_id: AccountId
    /** The session in which it was created; null for a link of an earlier release. */
    session_id: string | null
    /** The only address that may use it. */
    address: string
    /** Chosen names of policies and features; null means all. */
    policies: string[] | null
    /** Ids of the policies among the chosen names; null means all, or a link of an earlier release. */
    policy_ids: string[] | null
    created_at: Date
    expires_at: Date
    revoked_at: Date | null
    last_used_at: Date | null
  }
}
