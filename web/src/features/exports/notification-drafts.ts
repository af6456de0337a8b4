import { checkInput } from '@portico/contract/check-input'
import { messages } from '@portico/contract/messages'
import {
  defaultSftpPort,
  defaultUrlExpirySeconds,
  type httpMethods,
  WrittenNotification,
  type NotificationInput,
} from '@portico/contract/notifications'
import type { Senders } from '@portico/contract/senders'
import { senderProblem } from '#domain/senders'

type HttpMethod = (typeof httpMethods)[number]

/** A notification being typed: all values are text. */
export type NotificationDraft =
  | {
      type: 'email'
      from: string
      fromName: string
      to: string
      subject: string
      htmlBody: string
      textBody: string
    }
  | {
      type: 'http'
      method: HttpMethod | ''
      endpoint: string
      headers: string
      body: string
      signedUrlExpiryBySecond: string
    }
  | {
      type: 'sftp'
      host: string
      folder: string
      port: string
      user: string
      password: string
      privateKey: string
    }
export type DraftOf<T extends NotificationDraft['type']> = Extract<NotificationDraft, { type: T }>
export type NotificationType = NotificationDraft['type']

/** A row of the dialog; its key identifies it to React. */
export type NotificationRow = { key: string; draft: NotificationDraft }

const blanks: { [T in NotificationType]: DraftOf<T> } = {
  email: { type: 'email', from: '', fromName: '', to: '', subject: '', htmlBody: '', textBody: '' },
  http: {
    type: 'http',
    method: '',
    endpoint: '',
    headers: '',
    body: '',
    signedUrlExpiryBySecond: String(defaultUrlExpirySeconds),
  },
  sftp: {
    type: 'sftp',
    host: '',
    folder: '',
    port: String(defaultSftpPort),
    user: '',
    password: '',
    privateKey: '',
  },
}

export const newRow = (type: NotificationType): NotificationRow => ({ key: crypto.randomUUID(), draft: blanks[type] })

/** Whether nothing was typed into the draft. */
export function isBlank(draft: NotificationDraft): boolean {
  const blank: Record<string, string> = blanks[draft.type]
  return Object.entries(draft).every(([name, value]) => value.trim() === blank[name])
}

/** The field that adds the next row once it is filled (specification 3 §2.4). */
const isBegun = (draft: NotificationDraft): boolean => {
  const key = { email: 'from', http: 'method', sftp: 'host' }[draft.type]
  return (draft as Record<string, string>)[key]?.trim() !== ''
}

/** Adds a blank row after the last of each kind, up to the maximum. */
export function withBlankRows(rows: readonly NotificationRow[], max: number): NotificationRow[] {
  const types: NotificationType[] = ['email', 'http', 'sftp']
  const count = rows.filter(({ draft }) => !isBlank(draft)).length
  return types.flatMap((type) => {
    const own = rows.filter(({ draft }) => draft.type === type)
    const last = own.at(-1)
    const isFull = count >= max
    if (isFull) return own.filter(({ draft }) => !isBlank(draft))
    return last === undefined || isBegun(last.draft) ? [...own, newRow(type)] : own
  })
}

type Checked =
  | { notification: NotificationInput; problems: Record<string, never> }
  | { notification: null; problems: Record<string, string> }

/**
 * The notification for the call, or the problems by field, in the words of specification 3 §5. Without `senders`, only
 * the server checks whether the sender is verified.
 */
export function checkDraft(draft: NotificationDraft, senders?: Senders): Checked {
  const problems: Record<string, string> = {}
  const wanted = wantedOf(draft, problems)
  const parsed = checkInput(WrittenNotification, wanted)
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = String(path[0])
    problems[field] ??= isMissing(draft, field) ? messages.required : field === 'from' ? invalidAddress : message
  }
  const unverified = draft.type === 'email' ? senderProblem(draft.from, senders) : null
  if (unverified !== null) problems['from'] ??= unverified
  if (Object.keys(problems).length > 0 || !parsed.success) return { notification: null, problems }
  return { notification: parsed.data, problems: {} }
}

const invalidAddress = 'Invalid email address!'

const isMissing = (draft: NotificationDraft, field: string): boolean =>
  (draft as Record<string, string>)[field]?.trim() === ''

/** The values for the schema. Adds invalid JSON to `problems`. */
function wantedOf(draft: NotificationDraft, problems: Record<string, string>): unknown {
  if (draft.type === 'email') return draft
  if (draft.type === 'sftp') {
    const { port, password, privateKey, ...rest } = draft
    return { ...rest, port: numberOf(port), password: password || null, privateKey: privateKey.trim() || null }
  }
  const { headers, body, signedUrlExpiryBySecond, ...rest } = draft
  const read = (field: string, text: string): unknown => {
    const value = jsonObject(text)
    if (value === undefined) problems[field] = messages.invalid
    return value ?? undefined
  }
  return {
    ...rest,
    headers: read('headers', headers),
    body: read('body', body) ?? null,
    // Only for POST; the others have no link of their own.
    ...(draft.method === 'post' && { signedUrlExpiryBySecond: numberOf(signedUrlExpiryBySecond) }),
  }
}

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

/** Null for a blank text, undefined for anything but a JSON object. */
function jsonObject(text: string): object | null | undefined {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
