import { join } from 'node:path'
import type { AccountId } from '@portico/contract/accounts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import type { KeyRing } from '#platform/keys/key-ring.ts'
import type { Logger } from '#platform/log.ts'
import type { Storage } from '#platform/storage.ts'
import { diskStorage, removeAbandonedFiles } from './disk-storage.ts'
import { limitedStorage } from './limited-storage.ts'
import { recordedStorage } from './pending-files.service.ts'
import { signedLinks } from './signed-links.ts'

const hourMs = 3600_000

/** The settings that select the storage. */
export type StorageSettings = Pick<Config, 's3' | 'dataDir' | 'publicUrl'> & { secretKey: string | KeyRing }

/** Settings of the storage limits; `used` counts the bytes of an account's finished files. */
type LimitSettings = Pick<Config, 'uploadMaxBytes' | 'unpackedMaxBytes' | 'storageQuota'> & {
  used: (account: AccountId) => Promise<number>
}

/** The storage of `createStorage` with limits for each account; it records the files it writes. */
export function createLimitedStorage(config: StorageSettings, limits: LimitSettings, db: Db, log: Logger): Storage {
  const { uploadMaxBytes, unpackedMaxBytes, storageQuota, used } = limits
  const storage = { ...recordedStorage(openStorage(config, log), db, log), unpackedBytes: unpackedMaxBytes }
  const limitsOf = (account: AccountId) => ({
    uploadBytes: uploadMaxBytes,
    quota: async () => storageQuota,
    used: () => used(account),
  })
  return withHandledContent(limitedStorage(storage, limitsOf))
}

/** The bucket when one is configured, otherwise the disk below the data folder. */
export function createStorage(config: StorageSettings, log: Logger): Storage {
  return withHandledContent(openStorage(config, log))
}

function openStorage(config: StorageSettings, log: Logger): Storage {
  const storage = openPlace(config, log)
  return {
    ...storage,
    async put(key, content, options) {
      const sizeBytes = await storage.put(key, content, options)
      await options?.record?.(sizeBytes)
      return sizeBytes
    },
  }
}

function openPlace(config: StorageSettings, log: Logger): Storage {
  const { s3 } = config
  const links = signedLinks(config)
  if (s3) return lazyStorage(async () => (await import('./s3-storage.ts')).s3Storage(s3, links))
  const folder = join(config.dataDir, 'files')
  const cleanUp = (): void => {
    removeAbandonedFiles(folder).catch((error: unknown) =>
      log.warn({ err: error }, 'could not clean up the files folder'),
    )
  }
  cleanUp()
  // Repeated, as the portal may run for a long time.
  setInterval(cleanUp, hourMs).unref()
  return diskStorage(folder, links)
}

/**
 * `put` reports a failure of the content and listens for errors the whole time: content can fail before it is read, and
 * after it was refused, when its sender disconnects. An error event without a listener ends the process.
 */
function withHandledContent(storage: Storage): Storage {
  return {
    ...storage,
    put(key, content, options) {
      content.on('error', () => {})
      return storage.put(key, content, options)
    },
  }
}

/** Loads the storage on first use: Amazon's client takes 35 MB of memory, too much for a portal without a bucket. */
function lazyStorage(load: () => Promise<Storage>): Storage {
  let loading: Promise<Storage> | undefined
  const storage = (): Promise<Storage> => (loading ??= load())
  return {
    put: async (...args) => (await storage()).put(...args),
    read: async (...args) => (await storage()).read(...args),
    size: async (...args) => (await storage()).size(...args),
    requireRoom: async () => {},
    unpackedBytes: null,
    remove: async (...args) => (await storage()).remove(...args),
    removeUnfinished: async (...args) => (await storage()).removeUnfinished(...args),
    uploadUrl: async (...args) => (await storage()).uploadUrl(...args),
    downloadUrl: async (...args) => (await storage()).downloadUrl(...args),
    bucketUrl: async (...args) => (await storage()).bucketUrl(...args),
  }
}
