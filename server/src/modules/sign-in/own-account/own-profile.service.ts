import { selectRecoveryCodesLeft } from '../two-factor/recovery-codes.queries.ts'
import type { Profile } from '@portico/contract/own-account'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { recordForPerson } from '#access'
import { selectPersonById, updatePhotoUrl, updateUserName } from '#persons'

type Self = Pick<Caller, 'personId' | 'email'>

/** Returns the caller's own profile. */
export async function readProfile(db: Db, personId: string): Promise<Profile> {
  const person = await selectPersonById(db, personId)
  if (!person) throw new AppError('not_signed_in')
  const { email, userName, photoUrl, passwordChangedAt, twoFactorSince } = person
  return {
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

/** Null removes the name, so that each account shows its own name for the person. */
export async function renamePerson(db: Db, self: Self, userName: string | null, by: Actor): Promise<void> {
  await inTransaction(db, async (tx) => {
    await updateUserName(tx, self.personId, userName)
    await record(tx, self, 'profile changed', { userName }, by)
  })
}

/** Null removes the photo. Returns the URL of the previous one, or null. */
export async function replacePhotoUrl(db: Db, self: Self, photoUrl: string | null, by: Actor): Promise<string | null> {
  return inTransaction(db, async (tx) => {
    const before = (await selectPersonById(tx, self.personId))?.photoUrl ?? null
    await updatePhotoUrl(tx, self.personId, photoUrl)
    if (photoUrl ?? before) await record(tx, self, photoUrl ? 'photo changed' : 'photo removed', {}, by)
    return before
  })
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

/** Whether two-factor is on. */
export async function hasTwoFactor(db: Db, personId: string): Promise<boolean> {
  return Boolean((await selectPersonById(db, personId))?.twoFactorSince)
}
