import { pipeline, type Readable, Transform } from 'node:stream'
import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '#platform/app-error.ts'
import { byteSizeInWords } from '#platform/settings/byte-size.ts'
import type { Storage } from '#platform/storage.ts'

/** Limits of an account's files, in bytes; null if unlimited. */
export type StorageLimits = {
  uploadBytes: number | null
  /** Limit of the total of an account's finished files. */
  quota: () => Promise<number | null>
  /** Bytes of the account's finished files. */
  used: () => Promise<number>
}

type Limit = {
  /** Returns whether a file may grow from `stored` by `more` bytes. */
  admits: (stored: number, more: number) => boolean
  refusal: () => AppError
}

// Other kinds are not refused: an exported audit log is removed after an hour, and photos belong to persons.
const countedKinds = ['uploads', 'exports', 'reports', 'set-aside']

/**
 * A storage that refuses files over the limits of their account: immediately when the size is known, or else while
 * storing them, and then removes the partial file. Files stored at the same time count together within a process;
 * several processes may exceed the quota by the files that the others are storing.
 */
export function limitedStorage(storage: Storage, limitsOf: (account: AccountId) => StorageLimits): Storage {
  // By account: bytes that this process has stored since it started, and those of incomplete files.
  const stored = new Map<AccountId, { all: number; unfinished: number }>()
  const storedOf = (account: AccountId) => stored.get(account) ?? { all: 0, unfinished: 0 }
  const count = (account: AccountId, all: number, unfinished: number): void => {
    const before = storedOf(account)
    stored.set(account, { all: before.all + all, unfinished: before.unfinished + unfinished })
  }

  async function limitsOfFile(account: AccountId, kind: string): Promise<Limit[]> {
    const { uploadBytes, ...limits } = limitsOf(account)
    const found: Limit[] = []
    if (uploadBytes !== null && kind === 'uploads') {
      found.push({ admits: (stored, more) => stored + more <= uploadBytes, refusal: () => tooLarge(uploadBytes) })
    }
    const quota = await limits.quota()
    if (quota === null) return found
    // Before the database is read: files completed in between count twice rather than not at all.
    const { all, unfinished } = storedOf(account)
    const used = await limits.used()
    const isRoomFor = (more: number): boolean => used + storedOf(account).all - (all - unfinished) + more <= quota
    return [...found, { admits: (_stored, more) => isRoomFor(more), refusal: () => storageFull(quota) }]
  }
  async function requireRoom(key: string, sizeBytes: number): Promise<Limit[]> {
    const { account, kind } = partsOf(key)
    if (account === null) return []
    const limits = await limitsOfFile(account, kind)
    const exceeded = limits.find((limit) => !limit.admits(0, sizeBytes))
    if (exceeded) throw exceeded.refusal()
    return limits
  }
  return {
    ...storage,
    async requireRoom(key, sizeBytes) {
      await requireRoom(key, sizeBytes)
    },
    async put(key, content, options) {
      const { account } = partsOf(key)
      const limits = await requireRoom(key, options?.sizeBytes ?? 0)
      if (account === null || limits.length === 0) return storage.put(key, content, options)
      let passed = 0
      const onBytes = (bytes: number): void => {
        passed += bytes
        count(account, bytes, bytes)
      }
      try {
        const sizeBytes = await storage.put(key, counted(content, limits, onBytes), options)
        count(account, 0, -passed)
        return sizeBytes
      } catch (error) {
        count(account, -passed, -passed)
        throw error
      }
    },
  }
}

/** Passes the bytes on, as long as the limits admit them. */
function counted(content: Readable, limits: readonly Limit[], onBytes: (bytes: number) => void): Readable {
  let stored = 0
  const passing = new Transform({
    transform(piece: Buffer | string, _encoding, done) {
      const bytes = Buffer.byteLength(piece)
      const exceeded = limits.find((limit) => !limit.admits(stored, bytes))
      if (exceeded) return done(exceeded.refusal())
      stored += bytes
      onBytes(bytes)
      done(null, piece)
    },
  })
  // The storage reports the failure.
  pipeline(content, passing, () => {})
  return passing
}

function partsOf(key: string): { account: AccountId | null; kind: string } {
  const [owner = '', kind = ''] = key.split('/')
  const account = Number(owner)
  return { account: Number.isInteger(account) && countedKinds.includes(kind) ? account : null, kind }
}

function tooLarge(limit: number): AppError {
  return new AppError('too_large', { limit }, `Files may have at most ${byteSizeInWords(limit)}.`)
}

function storageFull(quota: number): AppError {
  const message = `This would exceed the account's storage quota of ${byteSizeInWords(quota)}. Files are removed after 30 days.`
  return new AppError('storage_full', { quota }, message)
}
