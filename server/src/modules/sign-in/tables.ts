import type { AccountId } from '@portico/contract/accounts'

export type Tables = {
  sessions: {
    id: string
    person_id: string
    created_at: Date
    /** The last time the person entered their password. */
    password_given_at: Date
    last_seen_at: Date
    expires_at: Date
    revoked_at: Date | null
    address: string
    /** User agent. */
    device: string
    /** Accounts entered with this session. */
    accounts: AccountId[]
    /** The passkey that was shown in it, at its start or since; null without one, and once that one is removed. */
    passkey_id: string | null
  }
  known_devices: { person_id: string; device: string; first_seen_at: Date }
  login_failures: { id: string; email: string; address: string; failed_at: Date; is_judged: boolean }
  password_requests: { id: string; email: string; address: string; requested_at: Date }
  person_links: {
    id: string
    person_id: string
    kind: LinkKind
    secret_hash: string
    created_at: Date
    expires_at: Date
    used_at: Date | null
    /** The identity of an invitation; null for invitations sent by earlier releases. */
    identity_id: string | null
  }
  recovery_codes: { person_id: string; code_hash: string; used_at: Date | null }
  used_challenges: { challenge: string; expires_at: Date }
  second_steps: { token_hash: string; person_id: string; expires_at: Date; wrong_codes: number }
}

/** The purpose of a person's link. */
export type LinkKind = 'invitation' | 'password reset'
