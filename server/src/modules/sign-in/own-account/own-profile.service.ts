import { selectRecoveryCodesLeft } from '../two-factor/recovery-codes.queries.ts'
import type { Profile } from '@portico/contract/own-account'
import type { Actor } from '#platform/actor.ts'
import { sessionEnded } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { recordForPerson } from '#access'
import { lockPerson, selectHasPasskey, selectPersonById, updateProfile } from '#persons'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'

type Self = Pick<Caller, 'personId' | 'email'>

/** Returns the caller's own profile. */
export async function readProfile(db: Db, personId: string): Promise<Profile> {
  const person = await selectPersonById(db, personId)
  if (!person) throw sessionEnded()
  const { version, email, userName, photoUrl, passwordChangedAt, twoFactorSince } = person
  return {
    version,
    email,
    userName,
    photoURL: photoUrl,
    passwordChangedAt: passwordChangedAt?.toISOString() ?? null,
    twoFactor: {
      isOn: twoFactorSince !== null,
      since: twoFactorSince?.toISOString() ?? null,
      recoveryCodesLeft: await selectRecoveryCodesLeft(db, personId),
    },
  }
}

/**
 * Null removes the name, so that each account shows its own name for the person.
 * @throws newer_version if `version` is not the current one
 */
export async function renamePerson(
  db: Db,
  self: Self,
  { userName, version }: { userName: string | null; version: number | undefined },
  by: Actor,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const before = await lockProfile(tx, self, version)
    const next = nextVersion(before, by, before.userName === userName ? [] : ['userName'])
    await updateProfile(tx, self.personId, { ...before, userName }, next)
    await record(tx, self, 'profile changed', { userName }, by)
  })
}

/**
 * Null removes the photo. Returns the URL of the previous one, or null.
 * @throws newer_version if `version` is not the current one
 */
export async function replacePhotoUrl(
  db: Db,
  self: Self,
  { photoUrl, version }: { photoUrl: string | null; version: number | undefined },
  by: Actor,
): Promise<string | null> {
  return inTransaction(db, async (tx) => {
    const before = await lockProfile(tx, self, version)
    if (photoUrl === null && before.photoUrl === null) return null
    await updateProfile(tx, self.personId, { ...before, photoUrl }, nextVersion(before, by, ['photoURL']))
    await record(tx, self, photoUrl ? 'photo changed' : 'photo removed', {}, by)
    return before.photoUrl
  })
}

async function lockProfile(tx: Db, { personId }: Self, version: number | undefined) {
  const row = await lockPerson(tx, personId)
  if (!row) throw sessionEnded()
  requireVersion(row, version)
  return row
}

function record(
  tx: Db,
  { personId, email }: Self,
  action: string,
  details: Record<string, unknown>,
  by: Actor,
): Promise<void> {
  return recordForPerson(tx, personId, { ...by, action, subject: email, details })
}

/** Whether the person can show a second factor: two-factor is on, or they have a passkey. */
export async function hasFactor(db: Db, personId: string): Promise<boolean> {
  return Boolean((await selectPersonById(db, personId))?.twoFactorSince) || selectHasPasskey(db, personId)
}
