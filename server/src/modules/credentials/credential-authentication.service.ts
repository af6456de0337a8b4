import { AccountId } from '@portico/contract/accounts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { type AccessRefusal, asProgram, toAccess, toCaller } from '#access'
import { isSecretOf } from './credential-secret.ts'
import { type CredentialAccessRow, selectCredential } from './credential-access.queries.ts'
import { updateCredentialUsed } from './credentials.queries.ts'
import { coalesce } from '#platform/coalesce.ts'

// Every request is a use, but recording one per minute is precise enough.
const usedWriteIntervalMs = 60_000

const refused = (message: string): AccessRefusal => ({ code: 'not_signed_in', message })
const refusals = {
  wrong: refused('The access key or the secret key is wrong.'),
  inactive: refused('This API credential is switched off.'),
  expired: refused('This API credential has expired.'),
  header: refused('The header x-account-id must be the number of an account.'),
  noAccount: refused('Please name the account in the header x-account-id.'),
  noAccess: (account: AccountId) => refused(`This API credential gives no access to account ${account}.`),
}

/**
 * Returns the caller for `accessKey:secretKey` (in base64), or the refusal. A credential has the rights and limits of
 * its one identity, in the account of that identity. With access to sub-accounts, or to all accounts, the header
 * `x-account-id` selects another.
 */
export function createCredentialAuthentication(database: Database) {
  const lookUp = coalesce(
    (accessKey: string, account: AccountId | null) => `${account} ${accessKey}`,
    (accessKey, account) => selectCredential(database.pool, accessKey, account),
  )
  return async (
    basic: string | null,
    accountHeader: string | string[] | undefined,
    address: string,
  ): Promise<Caller | AccessRefusal> => {
    const [accessKey = '', ...rest] = Buffer.from(basic ?? '', 'base64')
      .toString()
      .split(':')
    const account = accountHeader === undefined ? null : AccountId.safeParse(accountHeader)
    // PostgreSQL rejects NUL in text.
    if (accessKey.includes('\0')) return refusals.wrong
    const credential = await lookUp(accessKey, account?.data ?? null)
    if (!isSecretOf(credential?.secret_hash ?? null, rest.join(':')) || !credential) return refusals.wrong
    if (!credential.is_active) return refusals.inactive
    if (credential.expires_at !== null && credential.expires_at <= new Date()) return refusals.expired
    if (account && !account.success) return refusals.header
    return judge(database, credential, { named: account?.data ?? null, address })
  }
}

async function judge(
  { db }: Database,
  row: CredentialAccessRow,
  { named, address }: { named: AccountId | null; address: string },
): Promise<Caller | AccessRefusal> {
  const now = new Date()
  const access = toAccess(asProgram(row), { at: now, address })
  const { account } = access
  if (account === null && named === null) return refusals.noAccount
  if (account === null || row.identities.length === 0) return refusals.noAccess(named ?? 0)
  if (!access.mayEnter) return access.refusal ?? refusals.noAccess(account)
  const { credential_id: credential, identity_id: identityId, number, last_used_at: lastUsed } = row
  const before = new Date(now.getTime() - usedWriteIntervalMs)
  if (lastUsed === null || lastUsed < before)
    await updateCredentialUsed(db, { identityId, number }, { at: now, before })
  const via = { kind: 'credential' as const, name: `${row.name} (${row.access_key})` }
  const holder = { kind: 'credential' as const, identity: identityId, person: access.personId, credential }
  return toCaller(access, { kind: 'credential', sessionId: identityId, holder, via })
}
