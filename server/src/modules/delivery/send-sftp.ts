import type { Readable } from 'node:stream'
import type { AccountId } from '@portico/contract/accounts'
import { canonicalSftpFolder, canonicalSftpHost, sftpFolderProblem } from '@portico/contract/sftp-places'
import type { Outbound } from '#platform/outbound.ts'
import { DeliveryFailed } from './delivery-failed.ts'
import type { UploadTask, Work } from './sftp/messages.ts'
import { inOwnProcess } from './sftp/own-process.ts'

export type SftpTarget = Pick<Work, 'settings' | 'secrets'> & {
  account: AccountId
  /** Returns the pinned fingerprint of the server; pins the given one if there is none. */
  pinHostKey: (fingerprint: string) => Promise<string>
}

type SftpUpload = UploadTask & {
  open: () => Promise<Readable>
  /** Stores the name that this attempt chooses. */
  choose: (name: string) => Promise<void>
}

/** Uploads a file to an SFTP server. Returns the result in words, with the name that was used. */
export function uploadFile(
  outbound: Outbound,
  { account, settings, secrets, pinHostKey }: SftpTarget,
  { open, choose, ...upload }: SftpUpload,
  signal: AbortSignal,
): Promise<string> {
  // A file placed by an earlier attempt is also read, to compare it.
  const bytes = (upload.chosenName === null ? 1 : 2) * upload.sizeBytes
  const work = { settings: placeOf(settings), secrets, limits: limitsOf(outbound, bytes), upload, id: upload.id }
  return inOwnProcess({ account, work, ports: { pinHostKey, open, choose }, outbound, signal })
}

/** Writes a small file and deletes it. */
export function tryUpload(
  outbound: Outbound,
  { account, settings, secrets, pinHostKey }: SftpTarget,
  id: string,
  signal: AbortSignal,
): Promise<string> {
  const work = { settings: placeOf(settings), secrets, limits: limitsOf(outbound, 0), upload: null, id }
  const none = (): never => {
    throw new Error('A trial has no file.')
  }
  return inOwnProcess({ account, work, ports: { pinHostKey, open: none, choose: none }, outbound, signal })
}

/** Where a file goes, in the form that was judged. Earlier releases stored folders that are now refused. */
function placeOf(settings: SftpTarget['settings']): SftpTarget['settings'] {
  const problem = sftpFolderProblem(settings.folder)
  if (problem !== null) throw new DeliveryFailed(`The folder "${settings.folder}" is not used. ${problem}`, true)
  return { ...settings, host: canonicalSftpHost(settings.host), folder: canonicalSftpFolder(settings.folder) }
}

const limitsOf = ({ idleMs, transferMs }: Outbound, bytes: number) => ({
  idleMs,
  totalMs: transferMs(bytes),
  withoutFileMs: transferMs(0),
})
