import type { AccountId } from '@portico/contract/accounts'

/** The purpose of a file, the second part of its key. */
type FileKind = 'uploads' | 'exports' | 'set-aside' | 'photos' | 'audit'

// Lower case only, since some disks ignore case. No part can start with a dot.
const pattern = /^([1-9]\d{0,9}|portal)\/[a-z][a-z-]{0,30}\/[a-z0-9][a-z0-9-]{0,60}(\.[a-z0-9]{1,8})?$/

/** A new, unique key. Files that belong to no account are owned by the portal. */
export function newStorageKey(owner: AccountId | 'portal', kind: FileKind): string {
  return requireStorageKey(`${owner}/${kind}/${crypto.randomUUID()}`)
}

/** Returns the key. The portal creates all keys, so one of another form is a bug or an attempt at path traversal. */
export function requireStorageKey(key: string): string {
  if (!pattern.test(key)) throw new Error(`not a storage key: ${JSON.stringify(key)}`)
  return key
}
