import type { OwnCredentials } from '@portico/contract/own-identities'
import { ownIdentitiesOf, type Self, withAccessLockOn } from '#access'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { CredentialChecks } from './credential-checks.ts'
import { toCredential } from './credential-on-wire.ts'
import { selectCredentialsOf } from './credentials.queries.ts'
import { changeCredentialOf, type CredentialChange, opensWay, requireUnblocked } from './credentials.service.ts'

/** The identities of a person with their API credentials, the global one first, then by account. */
export async function listOwnCredentials(db: Db, personId: string): Promise<OwnCredentials[]> {
  const identities = await ownIdentitiesOf(db, personId)
  const listed: OwnCredentials[] = []
  for (const { id, account, entry } of identities) {
    const rows = await selectCredentialsOf(db, account, id)
    listed.push({ _id: id, account: entry, apiCredentials: rows.map(toCredential) })
  }
  return listed
}

/**
 * Adds, activates, deactivates or deletes a credential of one of the person's identities. If it works afterwards, the
 * person must meet all requirements of entering; not to end one.
 * @throws not_found, limit_reached, invalid_input as `changeCredentialOf`; not_allowed, two_factor_needed
 */
export async function changeOwnCredential(
  db: Db,
  asking: Self,
  id: string,
  { by, checks, ...change }: CredentialChange & { by: Actor; checks: CredentialChecks },
): Promise<Pick<OwnCredentials, '_id' | 'apiCredentials'>> {
  const find = async (from: Db, { personId }: Self) => {
    const own = (await ownIdentitiesOf(from, personId)).find((identity) => identity.id === id)
    if (!own) throw new AppError('not_found')
    return own
  }
  return withAccessLockOn(db, asking, find, async (tx, { personId }, { account }) => {
    if (opensWay(change.action)) {
      await checks.requireEntry({ id, account, isOwn: true })
      await requireUnblocked(tx, { id, account }, change.credential)
    }
    return changeCredentialOf(tx, { id, account, email: by.actor, personId }, change, { by, checks })
  })
}
