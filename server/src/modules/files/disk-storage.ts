import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, glob, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#platform/app-error.ts'
import { FileMissing, type PutOptions, type Storage } from '#platform/storage.ts'
import type { SignedLinks } from './signed-links.ts'
import { requireStorageKey } from './storage-keys.ts'

/** Files below `folder`, one per key. Partial files have names that cannot be keys. */
export function diskStorage(folder: string, links: SignedLinks): Storage {
  const pathOf = (key: string): string => join(folder, requireStorageKey(key))
  return {
    put: (key, content, options) => putFile(pathOf(key), content, options),
    async read(key, { start = 0, end } = {}) {
      const file = await openFile(pathOf(key))
      if (end !== undefined && end <= start) {
        await file.close()
        return Readable.from([])
      }
      // The stream's `end` is inclusive. Its default of 64 kB per read is slow for files of gigabytes.
      return file.createReadStream({ start, ...(end !== undefined && { end: end - 1 }), highWaterMark: 256 * 1024 })
    },
    size: async (key) => {
      try {
        return (await stat(pathOf(key))).size
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null
        throw error
      }
    },
    requireRoom: async () => {},
    unpackedBytes: null,
    remove: (key) => rm(pathOf(key), { force: true }),
    removeUnfinished: (key) => removePartial(pathOf(key)),
    uploadUrl: async (key, options) => links.make('PUT', key, options),
    downloadUrl: async (key, options) => links.make('GET', key, options),
    bucketUrl: async () => null,
  }
}

async function putFile(path: string, content: Readable, options: PutOptions = {}): Promise<number> {
  try {
    return await writeNew(path, content, options)
  } catch (error) {
    const code = codeOf(error)
    if (options.once && code === 'EEXIST') throw new AppError('link_invalid')
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const refusal = new AppError('unavailable', undefined, 'There is not enough disk space for this file.')
      throw Object.assign(refusal, { cause: error })
    }
    throw error
  }
}

async function writeNew(path: string, content: Readable, { signal, once = false }: PutOptions): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  if (once && existsSync(path)) throw new AppError('link_invalid')
  // With `once` all writers compete for the same partial file; otherwise each has its own.
  const partial = partialPath(path, once ? 'once' : randomUUID())
  const file = await open(partial, 'wx', 0o600)
  try {
    const target = file.createWriteStream({ flush: true })
    await pipeline(content, target, signal ? { signal } : {})
    // Unlike a rename, a link never replaces a file created in the meantime.
    await (once ? link(partial, path) : rename(partial, path))
    await syncFolder(dirname(path))
    return target.bytesWritten
  } finally {
    await rm(partial, { force: true })
  }
}

function partialPath(path: string, writer: string): string {
  return join(dirname(path), `.${basename(path)}.${writer}.part`)
}

async function removePartial(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const partial = names.filter((name) => name.startsWith(`.${basename(path)}.`) && name.endsWith('.part'))
  for (const name of partial) await rm(join(dirname(path), name), { force: true })
}

/** Ensures that a new name survives a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new FileMissing()
    throw error
  }
}

/** Removes partial files of processes that were killed while writing: those unchanged for a day. */
export async function removeAbandonedFiles(folder: string): Promise<void> {
  const dayAgo = Date.now() - 24 * 3600 * 1000
  for await (const partial of glob('*/*/.*.part', { cwd: folder })) {
    const path = join(folder, partial)
    // A file that no longer exists was completed.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (mtimeMs < dayAgo) await rm(path, { force: true })
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
