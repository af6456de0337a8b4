import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { trimmedEnd } from '@portico/domain/trimming'
import SftpClient from 'ssh2-sftp-client'
import { DeliveryFailed } from '../delivery-failed.ts'
import type { DeliverySecrets } from '../delivery-secrets.ts'
import { placeNew, sizeOf, wrapperOf } from './place-new.ts'
import { limitTime, TooSlow } from './sftp-limits.ts'
import type { ConnectionLimits, UploadTask, Work } from './messages.ts'

export type SftpTarget = Pick<Work, 'settings' | 'secrets'> & {
  /** Returns the pinned fingerprint of the server; pins the given one if there is none. */
  pinHostKey: (fingerprint: string) => Promise<string>
}

export type SftpUpload = UploadTask & {
  open: () => Promise<Readable>
  /** The SHA-256 of the file. */
  hash: () => Promise<string>
  /** Stores the name that this attempt chooses. */
  choose: (name: string) => Promise<void>
}

/** How to reach the server. */
type Server = ConnectionLimits & {
  /** Returns null if the connection was lost at once. */
  connect: () => Promise<Socket | null>
  /** Called when the server has accepted the sign-in. */
  signedIn: () => void
}

/**
 * Uploads a file under a temporary name, and renames it when it is complete. A file that an earlier attempt completed
 * is recognized. A partial file of a failed attempt is removed, over a new connection if the first was lost. Returns
 * the result in words, with the name that was used.
 */
export async function uploadFile(server: Server, target: SftpTarget, upload: SftpUpload): Promise<string> {
  const { folder } = target.settings
  const partial = pathIn(folder, `.${upload.id}.part`)
  let mayBeLeft = false
  try {
    return await connected(server, target, server.totalMs, async (client) => {
      const placed = await placedBefore(client, upload, folder)
      mayBeLeft = true
      // Not overwritten: it may be a second name of a file that was placed.
      await client.delete(partial, true).catch(() => {})
      if (placed !== null) {
        mayBeLeft = false
        return `Uploaded ${upload.sizeBytes} bytes to ${placed} in the attempt before.`
      }
      await transfer(client, upload, partial, folder)
      const path = await putInPlace(client, upload, partial, folder)
      mayBeLeft = false
      return resultOf(upload, path, pathIn(folder, upload.fileName))
    })
  } catch (error) {
    // A server that stopped responding would take too much time; the next attempt replaces the partial file.
    if (mayBeLeft && !(error instanceof TooSlow)) {
      await connected(server, target, server.withoutFileMs, (client) => client.delete(partial, true)).catch(() => {})
    }
    throw error
  }
}

function resultOf({ sizeBytes }: SftpUpload, path: string, wanted: string): string {
  const why = path === wanted ? '' : `, since ${wanted} exists already`
  return `Uploaded ${sizeBytes} bytes to ${path}${why}.`
}

/** The path of the file that an earlier attempt has put in place, if it did: a file with the same bytes. */
async function placedBefore(client: SftpClient, upload: SftpUpload, folder: string): Promise<string | null> {
  if (upload.chosenName === null || upload.replaces) return null
  const path = pathIn(folder, upload.chosenName)
  const sftp = wrapperOf(client)
  if ((await sizeOf(sftp, path)) !== upload.sizeBytes) return null
  const [there, here] = await Promise.all([hashOf(sftp.createReadStream(path)), upload.hash()])
  return there === here ? path : null
}

async function hashOf(content: Readable): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(content, hash)
  return hash.digest('hex')
}

/** Writes a small file and deletes it. */
export async function tryUpload(server: Server, target: SftpTarget, id: string): Promise<string> {
  const path = pathIn(target.settings.folder, `.portico-trial-${id}.txt`)
  await connected(server, target, server.withoutFileMs, async (client) => {
    try {
      await client.put(Buffer.from('Test file from Portico. It can be deleted.\n'), path)
    } catch (error) {
      throw writeFailure(error, target.settings.folder)
    }
    await client.delete(path)
  })
  return 'Connected, wrote a small file and deleted it.'
}

async function transfer(client: SftpClient, upload: SftpUpload, partial: string, folder: string): Promise<void> {
  const content = await upload.open()
  try {
    await client.put(content, partial)
    const { size } = await client.stat(partial)
    if (size === upload.sizeBytes) return
    throw new DeliveryFailed(`Only ${size} of ${upload.sizeBytes} bytes arrived. The server may be out of disk space.`)
  } catch (error) {
    await client.delete(partial, true).catch(() => {})
    throw writeFailure(error, folder)
  } finally {
    content.destroy()
  }
}

/** Gives the complete upload its name, and returns its path. */
async function putInPlace(client: SftpClient, upload: SftpUpload, partial: string, folder: string): Promise<string> {
  const { fileName, choose, replaces } = upload
  try {
    if (!replaces) {
      const placing = { partial, fileName, choose, pathOf: (name: string) => pathIn(folder, name) }
      return pathIn(folder, await placeNew(client, placing))
    }
    const path = pathIn(folder, fileName)
    await replace(client, partial, path)
    return path
  } catch (error) {
    await client.delete(partial, true).catch(() => {})
    if (error instanceof DeliveryFailed) throw error
    throw new DeliveryFailed(`The server could not rename the uploaded file${messageOf(error)}`)
  }
}

/** Renames atomically if the server supports it; otherwise an older file of that name is deleted first. */
async function replace(client: SftpClient, partial: string, path: string): Promise<void> {
  await client.posixRename(partial, path).catch(async () => {
    await client.delete(path, true)
    await client.rename(partial, path)
  })
}

/** Signs in, does the work within the time limits, and always closes the connection. */
async function connected<T>(
  server: Server,
  target: SftpTarget,
  totalMs: number,
  work: (client: SftpClient) => Promise<T>,
): Promise<T> {
  const socket = await server.connect()
  if (!socket) throw new DeliveryFailed('The connection was lost.')
  let lost: Error | null = null
  let slow: TooSlow | null = null
  socket.on('error', (error: Error) => (lost = error))
  const gone = new Promise<never>((_resolve, reject) => {
    socket.once('close', () => reject(lost ?? new DeliveryFailed('The connection was lost.')))
  })
  gone.catch(() => {})
  const { idleMs } = server
  const idle = Object.assign(new Error('The connection was idle for too long.'), { code: 'ETIMEDOUT' })
  socket.setTimeout(idleMs, () => socket.destroy(idle))
  // The client also reports errors here, but the promises already carry them.
  const client = new SftpClient('delivery', { error: () => {}, end: () => {}, close: () => {} })
  const limits = limitTime({ idleMs, totalMs }, (error) => socket.destroy((slow = error)))
  try {
    await Promise.race([signIn(client, socket, target), gone])
    server.signedIn()
    limits.watch(wrapperOf(client))
    return await Promise.race([work(client), gone])
  } catch (error) {
    // The client reports the time limit as an error of its own.
    throw slow ?? error
  } finally {
    limits.end()
    client.end().catch(() => {})
    // Do not wait for a server that never confirms the end.
    await Promise.race([gone.catch(() => {}), sleep(1000, null, { ref: false })])
    socket.destroy()
  }
}

async function signIn(client: SftpClient, socket: Socket, target: SftpTarget): Promise<void> {
  const { settings, secrets, pinHostKey } = target
  let changed: DeliveryFailed | null = null
  try {
    await client.connect({
      sock: socket,
      username: settings.user,
      ...credentialsOf(secrets),
      readyTimeout: 20_000,
      hostVerifier: (key: Buffer, verify: (isKnown: boolean) => void) => {
        const shown = `SHA256:${trimmedEnd(createHash('sha256').update(key).digest('base64'), '=')}`
        pinHostKey(shown).then(
          (known) => {
            if (known !== shown) changed = hostKeyChanged(settings.host, known, shown)
            verify(known === shown)
          },
          () => verify(false),
        )
      },
    })
  } catch (error) {
    if (changed) throw changed
    const text = error instanceof Error ? error.message : String(error)
    throw signInFailure(text, secrets) ?? error
  }
}

/** With a private key, the password is its passphrase and must not be sent to the server. */
function credentialsOf({ password, privateKey }: DeliverySecrets) {
  if (privateKey === undefined) return password === undefined ? {} : { password }
  return { privateKey, ...(password !== undefined && { passphrase: password }) }
}

function signInFailure(text: string, { privateKey }: DeliverySecrets): DeliveryFailed | null {
  const secret = privateKey === undefined ? 'password' : 'key'
  if (/authentication/i.test(text)) return new DeliveryFailed(`The server rejected the user name or ${secret}.`, true)
  if (/no passphrase given/i.test(text)) {
    return new DeliveryFailed('The private key has a passphrase. Enter it as the password.', true)
  }
  if (/bad passphrase/i.test(text)) return new DeliveryFailed('The passphrase of the private key is wrong.', true)
  if (/parse privateKey/i.test(text)) return new DeliveryFailed('The private key cannot be read.', true)
  if (/timed out while waiting|idle for too long/i.test(text)) {
    return new DeliveryFailed('The server did not respond in time.')
  }
  if (/greeting|header line|packet|handshake|protocol/i.test(text)) {
    return new DeliveryFailed('The server does not respond as an SFTP server does. Check host and port.')
  }
  return null
}

function hostKeyChanged(host: string, known: string, shown: string): DeliveryFailed {
  return new DeliveryFailed(
    `Warning: the host key of ${host} has changed from ${known} to ${shown}. This may be a different server, so nothing ` +
      'was sent. If the change is expected, ask an administrator to forget the old key.',
    true,
  )
}

function writeFailure(error: unknown, folder: string): Error {
  if (error instanceof DeliveryFailed) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text = error instanceof Error ? error.message : ''
  if (code === '2' || /no such file/i.test(text)) {
    return new DeliveryFailed(`The folder "${folder}" does not exist on the server.`, true)
  }
  if (code === '3' || /permission denied/i.test(text)) {
    return new DeliveryFailed(`The user is not allowed to write to the folder "${folder}".`, true)
  }
  if (/unexpected (end|close)|ECONNRESET|EPIPE|no sftp connection/i.test(`${code} ${text}`)) {
    return new DeliveryFailed('The connection was lost during the upload.')
  }
  return new DeliveryFailed(`The server could not write the file${messageOf(error)}`)
}

/** The end of a sentence: the server's message, or the code of an error from the library. */
function messageOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!(error instanceof Error) || !/^\d+$/.test(code)) return /^[A-Z_]{2,60}$/.test(code) ? ` (${code}).` : '.'
  return `: ${error.message.replace(/^(Re-thrown: |_?\w+: |Write stream error: )+/, '')}`
}

function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${trimmedEnd(folder, '/')}/${name}`
}
