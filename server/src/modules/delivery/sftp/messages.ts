import type { SftpNotification } from '@portico/contract/notifications'
import type { z } from 'zod'
import type { DeliverySecrets } from '../delivery-secrets.ts'

// Messages between the portal and a process of one SFTP upload (`own-process.ts`, `sftp-process.ts`).

/** An upload, without the tasks that only the portal can do for it. */
export type UploadTask = {
  fileName: string
  /** Replaces an older file of the name. Otherwise the older file stays, and the upload gets a name of its own. */
  replaces: boolean
  /** The same for every attempt, so each replaces the partial file of the previous one. */
  id: string
  sizeBytes: number
  /** The name that an earlier attempt has chosen. */
  chosenName: string | null
}

/** Limits of its connections, in milliseconds. */
export type ConnectionLimits = { idleMs: number; totalMs: number; withoutFileMs: number }

export type Work = {
  settings: z.output<typeof SftpNotification>
  secrets: DeliverySecrets
  limits: ConnectionLimits
  /** Null: a small file is written and deleted, with this `id` in its name. */
  upload: UploadTask | null
  id: string
}

/** A request of the process to the portal. */
export type Question =
  /** Asks for a connection to the server. The answer comes with its socket. */
  | { kind: 'connect' }
  /** Asks for the pinned fingerprint of the server; without one, this fingerprint is pinned. */
  | { kind: 'pin'; fingerprint: string }
  /** Asks to store the name that this attempt chooses. */
  | { kind: 'choose'; name: string }
  /** Asks for the SHA-256 of the file. */
  | { kind: 'hash' }
  /** Asks to write the file to the standard input of the process. */
  | { kind: 'content' }

/**
 * An error in transit. `asked`: the number of the question at which the portal failed; the portal keeps the error
 * itself.
 */
export type Failure = {
  name: string
  message: string
  stack: string | undefined
  code: string | undefined
  isFinal: boolean | null
  asked: number | null
}

export type ToProcess =
  | { kind: 'work'; work: Work }
  | { kind: 'answer'; asked: number; value: string | null }
  | { kind: 'refusal'; asked: number; failure: Failure }

export type FromProcess =
  | { kind: 'alive' }
  | { kind: 'signed in' }
  /** The socket has arrived. */
  | { kind: 'taken' }
  | { kind: 'question'; asked: number; question: Question }
  | { kind: 'result'; result: string }
  | { kind: 'failure'; failure: Failure }

/** Converts an error to the form in which it is sent. */
export function failureFrom(error: unknown, asked: number | null): Failure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const isFinal = error instanceof Error && 'isFinal' in error ? error.isFinal === true : null
  return { name, message, stack, code, isFinal, asked }
}
