import type { AccountId } from '@portico/contract/accounts'
import type { Actor } from '#platform/actor.ts'
import { control, type Db } from '#platform/database.ts'

type AuditTables = {
  audit_log: {
    account_id: AccountId | null
    at: Date
    actor: string
    action: string
    subject: string
    details: string
    address: string | null
    via: string | null
    via_name: string | null
  }
}

/** One line of the audit log. */
export type AuditEntry = Actor & {
  /** Null for events that concern all accounts. */
  account: AccountId | null
  /** A noun and a past participle: `import created`, `identity deleted`. */
  action: string
  /** Name or id of the changed item. */
  subject: string
  /** Further facts for the reader. Never a secret. */
  details?: Record<string, unknown>
}

/** Writes one line. Pass the transaction of the change itself, so that neither is committed without the other. */
export async function recordAudit(db: Db, entry: AuditEntry): Promise<void> {
  const { account, actor, action, subject, details = {}, address, via } = entry
  await control<AuditTables>(db)
    .insertInto('audit_log')
    .values({
      account_id: account,
      at: new Date(),
      actor,
      action,
      subject,
      details: JSON.stringify(details),
      address,
      via: via?.kind ?? null,
      via_name: via?.name ?? null,
    })
    .execute()
}
