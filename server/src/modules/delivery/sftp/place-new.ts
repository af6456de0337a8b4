import type SftpClient from 'ssh2-sftp-client'
import ssh2, { type SFTPWrapper } from 'ssh2'
import { DeliveryFailed } from '../delivery-failed.ts'

/** Most files of one name, distinguished by numbers. */
const mostNumbers = 999

/** Longest numbered name without its extension; a name that is already longer gets no longer. */
const longestStem = 100

/**
 * 'report(2).csv', 'Weekly report (2).csv': a number before the extension, after a space if the name already has
 * spaces.
 */
export function numberedName(fileName: string, number: number): string {
  if (number === 1) return fileName
  const dot = fileName.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [fileName.slice(0, dot), fileName.slice(dot)] : [fileName, '']
  const mark = `${stem.includes(' ') ? ' ' : ''}(${number})`
  const kept = stem.slice(0, Math.max(stem.length, longestStem) - mark.length).toWellFormed()
  return `${kept.trimEnd()}${mark}${ending}`
}

/** The file, complete under a temporary name, and its destination. */
type Placing = {
  partial: string
  fileName: string
  pathOf: (name: string) => string
  /** Stores the name that is about to be used. */
  choose: (name: string) => Promise<void>
}

/**
 * Gives a complete upload its name, or the name with a number: existing files stay (ADR 0090). Returns the name.
 * @throws DeliveryFailed when the server refuses, and when 999 files have the name
 */
export async function placeNew(client: SftpClient, placing: Placing): Promise<string> {
  const { fileName, pathOf, choose, partial } = placing
  const sftp = wrapperOf(client)
  const isExclusive = await honorsExclusive(sftp, partial)
  for (let number = 1; number <= mostNumbers; number++) {
    const name = numberedName(fileName, number)
    if (await exists(sftp, pathOf(name))) continue
    await choose(name)
    if (await placeAt(sftp, { from: partial, to: pathOf(name), isExclusive })) return name
  }
  throw new DeliveryFailed(`There are ${mostNumbers} files named like ${fileName} already. Move some of them.`, true)
}

/** The client's connection, which its types omit. */
export const wrapperOf = (client: SftpClient): SFTPWrapper => (client as unknown as { sftp: SFTPWrapper }).sftp

type Move = { from: string; to: string; isExclusive: boolean }

/** Moves the file, unless the name is taken; then it returns false. */
async function placeAt(sftp: SFTPWrapper, { from, to, isExclusive }: Move): Promise<boolean> {
  if (await succeeds((done) => sftp.ext_openssh_hardlink(from, to, done))) {
    // Both names mean the same file: nothing is lost if this one stays.
    await succeeds((done) => sftp.unlink(from, done))
    return true
  }
  if (await exists(sftp, to)) return false
  if (isExclusive) return placeByReservation(sftp, from, to)
  return renamed(sftp, from, to)
}

/** Reserves the name with an empty file, which only one client can create, and replaces it with the upload. */
async function placeByReservation(sftp: SFTPWrapper, from: string, to: string): Promise<boolean> {
  if (!(await reserve(sftp, to))) {
    if (await exists(sftp, to)) return false
    return renamed(sftp, from, to)
  }
  if (await succeeds((done) => sftp.ext_openssh_rename(from, to, done))) return true
  // Servers whose plain rename replaces files now replace the reservation.
  if (await succeeds((done) => sftp.rename(from, to, done))) return true
  if ((await sizeOf(sftp, to)) === 0) await succeeds((done) => sftp.unlink(to, done))
  return renamed(sftp, from, to)
}

/** A plain rename, which according to the protocol replaces nothing. */
async function renamed(sftp: SFTPWrapper, from: string, to: string): Promise<boolean> {
  const failure = await failureOf((done) => sftp.rename(from, to, done))
  if (failure === null) return true
  if (await exists(sftp, to)) return false
  throw new DeliveryFailed(`The server could not rename the uploaded file: ${failure.message}`)
}

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp
// Without TRUNC: a server that ignores EXCL must not empty a file.
const exclusively = OPEN_MODE.WRITE | OPEN_MODE.CREAT | OPEN_MODE.EXCL

/** Whether the server refuses to create an existing file; tried with the upload itself. */
const honorsExclusive = async (sftp: SFTPWrapper, existing: string): Promise<boolean> =>
  !(await reserve(sftp, existing))

/** Creates an empty file. Returns false if the server refuses. */
async function reserve(sftp: SFTPWrapper, path: string): Promise<boolean> {
  const handle = await new Promise<Buffer | null>((resolve) => {
    // The types only know the names of some modes.
    sftp.open(path, exclusively as unknown as 'wx', (error, opened) => resolve(error ? null : opened))
  })
  if (handle) await succeeds((done) => sftp.close(handle, done))
  return handle !== null
}

type Done = (error?: Error | null) => void

/** The error of a request; null when it succeeded. An extension that the server lacks fails as well. */
const failureOf = (request: (done: Done) => void): Promise<Error | null> =>
  new Promise((resolve) => {
    try {
      request((error) => resolve(error ?? null))
    } catch (error) {
      resolve(error instanceof Error ? error : new Error(String(error)))
    }
  })

const succeeds = async (request: (done: Done) => void): Promise<boolean> => (await failureOf(request)) === null

/** The size of a file; null if it does not exist. A broken link counts as a file. */
export const sizeOf = (sftp: SFTPWrapper, path: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    sftp.lstat(path, (error, attributes) => {
      if (!error) return resolve(attributes.size)
      const { code } = error as Error & { code?: number }
      // Some servers respond with a general failure instead.
      if (code === STATUS_CODE.NO_SUCH_FILE || code === STATUS_CODE.FAILURE) resolve(null)
      else reject(error)
    })
  })

const exists = async (sftp: SFTPWrapper, path: string): Promise<boolean> => (await sizeOf(sftp, path)) !== null
