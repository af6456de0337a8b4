import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { SftpNotification } from '@portico/contract/notifications'
import type SftpClient from 'ssh2-sftp-client'
import type { z } from 'zod'
import type { Outbound } from '#platform/outbound.ts'
import { DeliveryFailed } from './delivery-failure.ts'
import type { DeliverySecrets } from './delivery-secrets.ts'

export type SftpTarget = {
  settings: z.output<typeof SftpNotification>
  secrets: DeliverySecrets
  /** The fingerprint by which the server is known from now on: the one given, unless it was known by another. */
  pinHostKey: (fingerprint: string) => Promise<string>
}

export type SftpUpload = {
  fileName: string
  /** The same for every attempt, so that each replaces what the one before may have left. */
  id: string
  sizeBytes: number
  open: () => Promise<Readable>
}

/**
 * Puts a file on a server: under a temporary name, then, when all of it is there, under its own. What an attempt leaves
 * that fails is removed, also by connecting again when the connection was lost.
 */
export async function uploadFile(
  outbound: Outbound,
  target: SftpTarget,
  upload: SftpUpload,
  signal: AbortSignal,
): Promise<string> {
  const { folder } = target.settings
  const partial = pathIn(folder, `.${upload.id}.part`)
  const path = pathIn(folder, upload.fileName)
  let mayBeLeft = false
  try {
    await connected(outbound, target, signal, async (client) => {
      mayBeLeft = true
      await transfer(client, upload, partial, folder)
      await putInPlace(client, partial, path)
      mayBeLeft = false
    })
  } catch (error) {
    // A lost connection leaves half a file; a stopping worker has no time to remove it, and the next attempt replaces it.
    if (mayBeLeft && !signal.aborted) {
      await connected(outbound, target, signal, (client) => client.delete(partial, true)).catch(() => {})
    }
    throw error
  }
  return `Uploaded ${upload.sizeBytes} bytes to ${path}.`
}

/** Writes a small file and removes it again. */
export async function tryUpload(outbound: Outbound, target: SftpTarget, id: string, signal: AbortSignal) {
  const path = pathIn(target.settings.folder, `.portico-trial-${id}.txt`)
  await connected(outbound, target, signal, async (client) => {
    try {
      await client.put(Buffer.from('A trial of Portico; it may be removed.\n'), path)
    } catch (error) {
      throw writeFailure(error, target.settings.folder)
    }
    await client.delete(path)
  })
  return 'Signed in, wrote a small file and removed it again.'
}

async function transfer(client: SftpClient, upload: SftpUpload, partial: string, folder: string): Promise<void> {
  const content = await upload.open()
  try {
    await client.put(content, partial)
    const { size } = await client.stat(partial)
    if (size === upload.sizeBytes) return
    throw new DeliveryFailed(`The server has ${size} of ${upload.sizeBytes} bytes. There may be no room left on it.`)
  } catch (error) {
    await client.delete(partial, true).catch(() => {})
    throw writeFailure(error, folder)
  } finally {
    content.destroy()
  }
}

/** Replaces in one step where the server can; others have to remove an older file of that name before. */
async function putInPlace(client: SftpClient, partial: string, path: string): Promise<void> {
  try {
    await client.posixRename(partial, path).catch(async () => {
      await client.delete(path, true)
      await client.rename(partial, path)
    })
  } catch (error) {
    await client.delete(partial, true).catch(() => {})
    throw new DeliveryFailed(`The server could not give the file its name: ${wordsOf(error)}`)
  }
}

/** Signs in, does the work, and closes the connection whatever became of it. */
async function connected<T>(
  outbound: Outbound,
  target: SftpTarget,
  signal: AbortSignal,
  work: (client: SftpClient) => Promise<T>,
): Promise<T> {
  const { host, port } = target.settings
  // It takes 15 MB of memory: too much for those who send nothing by SFTP.
  const { default: Client } = await import('ssh2-sftp-client')
  const socket = await outbound.connect(host, port, signal)
  let lost: Error | null = null
  const stop = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : undefined)
  signal.addEventListener('abort', stop, { once: true })
  socket.on('error', (error: Error) => (lost = error))
  const gone = new Promise<never>((_resolve, reject) => {
    socket.once('close', () => reject(lost ?? new DeliveryFailed('The connection was lost.')))
  })
  gone.catch(() => {})
  // The client tells of errors here too; they are known by the promises.
  const client = new Client('delivery', { error: () => {}, end: () => {}, close: () => {} })
  try {
    await Promise.race([signIn(client, socket, target), gone])
    return await Promise.race([work(client), gone])
  } finally {
    signal.removeEventListener('abort', stop)
    void client.end().catch(() => {})
    // The farewell is on its way; a server that never answers it keeps no one waiting.
    setTimeout(() => socket.destroy(), 1000).unref()
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
        const shown = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
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

/** With a key the password is its passphrase, which no server must hear. */
function credentialsOf({ password, privateKey }: DeliverySecrets) {
  if (privateKey === undefined) return password === undefined ? {} : { password }
  return { privateKey, ...(password !== undefined && { passphrase: password }) }
}

function signInFailure(text: string, { privateKey }: DeliverySecrets): DeliveryFailed | null {
  const what = privateKey === undefined ? 'password' : 'key'
  if (/authentication/i.test(text)) return new DeliveryFailed(`The server refused the user or the ${what}.`, true)
  if (/no passphrase given/i.test(text)) {
    return new DeliveryFailed('The private key is protected by a passphrase: give that as the password.', true)
  }
  if (/bad passphrase/i.test(text)) return new DeliveryFailed('The passphrase of the private key is wrong.', true)
  if (/parse privateKey/i.test(text)) return new DeliveryFailed('The private key cannot be read.', true)
  return null
}

function hostKeyChanged(host: string, known: string, shown: string): DeliveryFailed {
  return new DeliveryFailed(
    `Warning: the key of ${host} has changed. It was ${known} when it was first used, and is ${shown} now: this may be ` +
      'another server. Nothing was sent. If the change is right, have an administrator forget the old key.',
    true,
  )
}

function writeFailure(error: unknown, folder: string): Error {
  if (error instanceof DeliveryFailed) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text = wordsOf(error)
  if (code === '2' || /no such file/i.test(text)) {
    return new DeliveryFailed(`The folder "${folder}" is not there on the server.`, true)
  }
  if (code === '3' || /permission denied/i.test(text)) {
    return new DeliveryFailed(`The user may not write to the folder "${folder}".`, true)
  }
  if (/unexpected (end|close)|ECONNRESET|EPIPE|no sftp connection/i.test(`${code} ${text}`)) {
    return new DeliveryFailed('The connection was lost while the file was sent.')
  }
  return new DeliveryFailed(`The server could not write the file: ${text}`)
}

/** The library puts its own words around those of the server. */
function wordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/^(Re-thrown: |_?\w+: |Write stream error: )+/, '').slice(0, 300)
}

function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder.replace(/\/+$/, '')}/${name}`
}
