import type { AccountId } from '@portico/contract/accounts'

export type Tables = {
  mail_senders: {
    id: string
    account_id: AccountId
    address: string
    requested_by: string
    requested_at: Date
    secret_hash: string | null
    expires_at: Date | null
    verified_at: Date | null
    removed_at: Date | null
    /** The API credential that requested it; null for people. */
    credential_id: string | null
  }
  mail_counts: { account_id: AccountId; kind: MailKind; day: string; sent: number; told_at: Date | null }
}

/**
 * The emails that a daily number counts: all emails, those that verify senders, or those to one stranger, identified by
 * a hash of the address.
 */
export type MailKind = 'email' | 'verification' | `to ${string}`
