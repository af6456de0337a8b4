import { Readable } from 'node:stream'
import { type Profile, ownAccountApi } from '@portico/contract/own-account'
import { newStorageKey, releaseFile } from '#files'
import { selectPhotoUrls } from '#persons'
import { readProfile, renamePerson, replacePhotoUrl } from '#sign-in'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { type Db, inTransaction } from '#platform/database.ts'
import type { FileKeys } from '#platform/registration.ts'
import type { Caller } from '#platform/http/context.ts'
import { apiPrefix } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { FileMissing, type Storage } from '#platform/storage.ts'
import { makePhoto } from './photo.ts'

type Deps = Pick<Services, 'storage' | 'log'>
type Self = { db: Db; caller: Caller; actor: Actor }

const urlOf = (name: string): string => apiPrefix + ownAccountApi.getPhoto.path.replace(':name', name)
const namePattern = /^([0-9a-f-]{36})\.jpg$/

/** An empty name removes it. @throws newer_version */
export async function changeName(
  { db, caller, actor }: Self,
  { userName, version }: { userName: string | null; version?: number | undefined },
): Promise<Profile> {
  await renamePerson(db, caller, { userName: userName || null, version }, actor)
  return readProfile(db, caller.personId)
}

const changing = new Set<string>()

/**
 * Converts the image to a photo that replaces the previous one.
 * @throws invalid_input, too_many_requests, newer_version
 */
export async function changePhoto(deps: Deps, self: Self, image: Blob, version: number | undefined): Promise<Profile> {
  const { personId } = self.caller
  // One at a time: a single person must not block the decoder for all others.
  if (changing.has(personId)) {
    throw new AppError(
      'too_many_requests',
      undefined,
      'Your previous photo is still being processed. Try again in a moment.',
    )
  }
  changing.add(personId)
  try {
    const photo = await makePhoto(new Uint8Array(await image.arrayBuffer()), deps.log)
    return await storePhoto(deps, self, photo, version)
  } finally {
    changing.delete(personId)
  }
}

async function storePhoto(deps: Deps, self: Self, photo: Uint8Array, version: number | undefined): Promise<Profile> {
  // The key is random because images are fetched without a token.
  const key = newStorageKey('portal', 'photos')
  await deps.storage.put(key, Readable.from([photo]), { contentType: 'image/jpeg' })
  try {
    return await replacePhoto(deps, self, urlOf(`${key.split('/').at(-1)}.jpg`), version)
  } catch (error) {
    if (error instanceof AppError) await deps.storage.remove(key)
    throw error
  }
}

export async function removePhoto(deps: Deps, self: Self): Promise<Profile> {
  return replacePhoto(deps, self, null, undefined)
}

/** The bytes of a photo. Throws `not_found`. */
export async function openPhoto(storage: Storage, name: string): Promise<Readable> {
  const key = keyOf(name)
  if (key === null || (await storage.size(key)) === null) throw new FileMissing()
  return storage.read(key)
}

async function replacePhoto(
  { storage, log }: Deps,
  { db, caller, actor }: Self,
  photoUrl: string | null,
  version: number | undefined,
): Promise<Profile> {
  const removeOld = await inTransaction(db, async (tx) => {
    const before = await replacePhotoUrl(tx, caller, { photoUrl, version }, actor)
    const old = before && keyOf(before.split('/').at(-1) ?? '')
    return old ? releaseFile(tx, { db, storage, log }, old) : null
  })
  await removeOld?.()
  return readProfile(db, caller.personId)
}

/** The photos that persons use. */
export const photoKeys: FileKeys = {
  kind: 'photos',
  states: async (db, _account, keys) => {
    const names = new Map(keys.map((key) => [urlOf(`${key.split('/').at(-1)}.jpg`), key]))
    const used = await selectPhotoUrls(db, [...names.keys()])
    return new Map(used.flatMap((url) => (names.has(url) ? [[names.get(url) ?? '', 'kept'] as const] : [])))
  },
}

function keyOf(name: string): string | null {
  const id = namePattern.exec(name)?.[1]
  return id === undefined ? null : `portal/photos/${id}`
}
