import type { AccountId } from '@portico/contract/identity'
import { control, type Db } from '#platform/database.ts'

type ImpersonationTables = {
  impersonations: {
    id: string
    person_id: string
    account_id: AccountId
    address: string
    policies: string[] | null
    created_at: Date
    expires_at: Date
    revoked_at: Date | null
    last_used_at: Date | null
  }
}

export type NewImpersonation = {
  id: string
  personId: string
  /** The only address from which it works. */
  address: string
  /** Chosen names of policies and features; null stands for all. */
  policies: string[] | null
  at: Date
  expiresAt: Date
}

export async function insertImpersonation(db: Db, account: AccountId, made: NewImpersonation): Promise<void> {
  const { id, personId, address, policies, at, expiresAt } = made
  await control<ImpersonationTables>(db)
    .insertInto('impersonations')
    .values({
      id,
      person_id: personId,
      account_id: account,
      address,
      policies,
      created_at: at,
      expires_at: expiresAt,
      revoked_at: null,
      last_used_at: null,
    })
    .execute()
}

/** Answers whose it was; null when there was no live one. */
export async function updateImpersonationRevoked(
  db: Db,
  account: AccountId,
  id: string,
  at: Date,
): Promise<string | null> {
  const row = await control<ImpersonationTables>(db)
    .updateTable('impersonations')
    .set({ revoked_at: at })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .returning('person_id')
    .executeTakeFirst()
  return row?.person_id ?? null
}

/** Notes that a link was used at `at`, unless it is known to have been used since `before`. */
export async function updateImpersonationUsed(
  db: Db,
  account: AccountId,
  id: string,
  { at, before }: { at: Date; before: Date },
): Promise<void> {
  await control<ImpersonationTables>(db)
    .updateTable('impersonations')
    .set({ last_used_at: at })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', before)]))
    .execute()
}
