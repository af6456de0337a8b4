import { control, type Db } from '#platform/database.ts'

type CredentialTables = { api_credentials: { identity_id: string; number: number; last_used_at: Date | null } }

/** Notes that a credential was used at `at`, unless it is known to have been used since `before`. */
export async function updateCredentialUsed(
  db: Db,
  { identityId, number }: { identityId: string; number: number },
  { at, before }: { at: Date; before: Date },
): Promise<void> {
  await control<CredentialTables>(db)
    .updateTable('api_credentials')
    .set({ last_used_at: at })
    .where('identity_id', '=', identityId)
    .where('number', '=', number)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', before)]))
    .execute()
}
