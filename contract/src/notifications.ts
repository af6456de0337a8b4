import { z } from 'zod'
import { callLimitProblems } from './call-limits.ts'
import { mostTyped, readAddressList, readEmailAddress } from './email-address.ts'
import { readEmailList, writeEmailList } from './email-list.ts'
import { Endpoint } from './endpoints.ts'
import { Instant } from './jobs.ts'
import { messages } from './messages.ts'
import { placeholderProblem, textsIn } from './placeholders.ts'
import { privateKeyProblem } from './private-keys.ts'
import { listText } from './read-text.ts'
import type { Route } from './route.ts'
import { SftpFolder, SftpHost } from './sftp-places.ts'

export const maxNotifications = 1
/** Maximum recipients of an email. */
export const maxRecipients = 50
export const tooManyRecipients = `Use at most ${maxRecipients} addresses.`
/** Maximum characters of a list of addresses. */
export const maxAddressListLength = 20_000
export const defaultUrlExpirySeconds = 600
export const defaultSftpPort = 22
export const httpMethods = ['get', 'post', 'put'] as const

const invalidAddress = 'Invalid email address!'
const From = z
  .string()
  .trim()
  .min(1, { message: messages.required, abort: true })
  .max(mostTyped, { message: invalidAddress, abort: true })
  .superRefine((text, context) => {
    const read = readEmailAddress(text)
    if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem ?? invalidAddress })
  })
  .overwrite((text) => {
    const read = readEmailAddress(text)
    return 'key' in read ? read.address : text
  })

/** Comma-separated addresses, each once, as used for sending; the message names each invalid one, even an empty one. */
export const AddressList = listText(
  z
    .string()
    .trim()
    .min(1, { message: messages.required, abort: true })
    .max(maxAddressListLength, { abort: true })
    .superRefine((text, context) => {
      const { addresses, problems } = readAddressList(text.split(','), (item) => `'${item}' is invalid!`)
      const message =
        problems.length === 0 && addresses.length > maxRecipients ? tooManyRecipients : problems.join(', ')
      if (message !== '') context.addIssue({ code: 'custom', message })
    }),
  { read: readEmailList, write: writeEmailList, problem: invalidAddress },
)

/** Stands for a secret in an endpoint's query or a body, which is never returned; sending the mark keeps the secret. */
export const secretMark = '{{secret}}'

const Required = z.string().trim().min(1, messages.required)
const JsonObject = z.record(z.string(), z.unknown())

/** Sends an email with a link to the file once it is ready. Subject and bodies may contain `placeholders`. */
const Port = z.number().int().min(1, messages.invalid).max(65_535, messages.invalid)

export const EmailNotification = z.strictObject({
  type: z.literal('email'),
  from: From,
  fromName: z.string().trim().max(100, { abort: true }).default(''),
  to: AddressList,
  subject: Required.max(300, { abort: true }),
  htmlBody: Required.max(100_000, { abort: true }),
  textBody: z.string().max(100_000, { abort: true }).default(''),
})

/** Calls a URL once the file is ready. Texts in its headers and body may contain placeholders. */
export const HttpNotification = z
  .strictObject({
    type: z.literal('http'),
    method: z.enum(httpMethods),
    /** Values in its query and long parts of its path are secrets: they are encrypted, and returned as `{{secret}}`. */
    endpoint: Endpoint,
    /** Values are secrets, unless a header only describes the call: they are encrypted, and returned as null. */
    headers: z
      .record(
        z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, messages.invalid),
        z
          .string()
          .max(4000, { abort: true })
          .regex(/^[^\0\r\n]*$/, messages.invalid)
          .nullable(),
      )
      .default({}),
    body: JsonObject.nullable().default(null),
    /** How long the signed link to the file works; only for `post`. */
    signedUrlExpiryBySecond: z.number().int().min(60).max(604_800).default(defaultUrlExpirySeconds),
  })
  .superRefine(({ method, body }, context) => {
    const isEmpty = body === null || Object.keys(body).length === 0
    if (method === 'get' && !isEmpty)
      context.addIssue({ code: 'custom', message: 'Value is not required!', path: ['body'] })
    if (method !== 'get' && isEmpty) context.addIssue({ code: 'custom', message: messages.required, path: ['body'] })
  })

/** Start of a private key in the format of OpenSSH, PEM or PuTTY. */
const privateKeyStart = /^\s*(-----BEGIN (OPENSSH|RSA|EC|DSA) PRIVATE KEY-----|PuTTY-User-Key-File-\d:)/

/**
 * Uploads the file to an SFTP server. Requires `password` or `privateKey`; neither is ever returned. With a key, the
 * password is its passphrase and is not sent.
 */
export const SftpNotification = z.strictObject({
  type: z.literal('sftp'),
  host: SftpHost,
  folder: SftpFolder.default(''),
  port: Port.default(defaultSftpPort),
  user: Required.max(200),
  password: z.string().max(1000, { abort: true }).nullable().default(null),
  privateKey: z.string().max(20_000, { abort: true }).regex(privateKeyStart, messages.invalid).nullable().default(null),
})

/** A call as it can be saved now. Earlier releases accepted larger ones. */
const WrittenCall = HttpNotification.superRefine((call, context) => {
  for (const { path, message } of callLimitProblems(call)) {
    context.addIssue({ code: 'custom', message, path, continue: false })
  }
})

/** An upload as it can be saved now. Earlier releases accepted keys that take too long to use. */
const WrittenUpload = SftpNotification.superRefine(({ privateKey }, context) => {
  const message = privateKey === null ? null : privateKeyProblem(privateKey)
  if (message !== null) context.addIssue({ code: 'custom', message, path: ['privateKey'], continue: false })
})

/** A secret of null keeps the stored one; `NewNotification` requires all of them. */
export const Notification = z.discriminatedUnion('type', [EmailNotification, WrittenCall, WrittenUpload])
/** A stored notification. Earlier releases accepted endpoints, hosts and folders that are refused now. */
export const ShownNotification = z.discriminatedUnion('type', [
  EmailNotification,
  HttpNotification.safeExtend({ endpoint: z.string() }),
  SftpNotification.safeExtend({ host: z.string(), folder: z.string().default('') }),
])
export type Notification = z.output<typeof Notification>
export type NotificationInput = z.input<typeof Notification>

/** A notification of a new job. It must contain its secrets, since none are stored yet. */
export const NewNotification = Notification.superRefine(requireSecrets)
/** A stored notification with its secrets restored. */
export const FilledNotification = ShownNotification.superRefine(requireSecrets)

function requireSecrets(notification: Notification, context: z.RefinementCtx): void {
  const missing = (...path: string[]) => context.addIssue({ code: 'custom', message: messages.required, path })
  if (notification.type === 'sftp' && !notification.password && !notification.privateKey) missing('password')
  if (notification.type !== 'http') return
  for (const [name, value] of Object.entries(notification.headers)) if (value === null) missing('headers', name)
}

/** Placeholders in the texts of a notification, such as `{{name}}`. */
export const placeholders = ['name', 'url', 'records', 'size', 'account', 'date', 'expires'] as const

/** Returns unknown placeholders, by the path of their text. Stored notifications of earlier releases may have some. */
export function unknownPlaceholders(notification: Notification): { path: string[]; message: string }[] {
  if (notification.type === 'sftp') return []
  const problem = (path: string[], texts: readonly string[], known: readonly string[]) => {
    const [message] = texts.flatMap((text) => placeholderProblem(text, known) ?? [])
    return message === undefined ? [] : [{ path, message }]
  }
  if (notification.type === 'email') {
    const { fromName, subject, htmlBody, textBody } = notification
    const filled = Object.entries({ subject, htmlBody, textBody })
    return [
      problem(['fromName'], [fromName], []),
      ...filled.map(([key, text]) => problem([key], [text], placeholders)),
    ].flat()
  }
  const known = [...placeholders, secretMark.slice(2, -2)]
  const { endpoint, headers, body } = notification
  return [
    ...problem(['endpoint'], [endpoint], known),
    ...Object.entries(headers).flatMap(([name, value]) => problem(['headers', name], [value ?? ''], known)),
    ...problem(['body'], textsIn(body), known),
  ]
}

/** A notification as it can be saved now. */
export const WrittenNotification = NewNotification.superRefine((notification, context) => {
  for (const { path, message } of unknownPlaceholders(notification)) context.addIssue({ code: 'custom', message, path })
})

/** States of a delivery, the same as those of its job; `rejected` after five failed retries. */
export const DeliveryStatus = z.enum(['waiting', 'processing', 'recovery', 'completed', 'rejected'])
export type DeliveryStatus = z.output<typeof DeliveryStatus>

/** One notification or file delivery of a job, with every attempt. */
export const Delivery = z.object({
  _id: z.string(),
  kind: z.enum(['email', 'http', 'sftp']),
  /** The target, without secrets: addresses, method and URL, or host and folder. */
  target: z.string(),
  status: DeliveryStatus,
  /** Attempts after the first. */
  recoveryCount: z.number().int(),
  /** Last reply of the receiver. */
  result: z.string().nullable(),
  /** Time of the next attempt; null if there is none. */
  nextAttemptAt: Instant.nullable(),
  attempts: z.array(
    z.object({
      at: Instant,
      durationMs: z.number(),
      isOk: z.boolean(),
      result: z.string(),
      trigger: z.enum(['job', 'resend']),
    }),
  ),
})
export type Delivery = z.output<typeof Delivery>

/** The key that an SFTP server had when it was first reached. A server with another key is not trusted. */
export const HostKey = z.object({
  host: z.string(),
  port: z.number(),
  /** As `ssh-keygen -l` shows it. */
  fingerprint: z.string(),
  firstSeenAt: Instant,
})
export type HostKey = z.output<typeof HostKey>

const notificationsPath = '/contact-service/v1/notifications'
const deliveriesPath = '/contact-service/v1/exports/:id/deliveries'
const params = z.object({ id: z.string() })

export const notificationsApi = {
  /**
   * Connects for real and sends a trial email, call or (for SFTP) a small file, which is removed again. An email goes
   * only to the caller, not to its recipients.
   */
  testNotification: {
    method: 'POST',
    path: `${notificationsPath}/test`,
    summary: 'Send a test notification and return the result',
    access: 'contact-service::exports::post',
    stores: false,
    tries: {
      as: ({ notification }) => {
        const notifications = [notification]
        return { body: { notifications, instruction: { notifications } } }
      },
      stores: { what: 'work', does: 'try notifications', onlyWith: { notification: 'given' } },
    },
    body: z.strictObject({
      notification: Notification,
      /** Secrets that are left out are those of this export's notification. */
      exportId: z.string().optional(),
    }),
    reply: z.object({ isOk: z.boolean(), message: z.string() }),
    errors: ['too_many_requests', 'limit_reached'],
  },
  /** Receivers of calls verify `webhook-signature` with it. */
  getSigningSecret: {
    method: 'GET',
    path: `${notificationsPath}/signing-secret`,
    summary: "Get the signing secret of this account's HTTP notifications",
    access: 'administrator',
    action: 'contact-service::signingSecret::put',
    reply: z.object({ secret: z.string() }),
  },
  listHostKeys: {
    method: 'GET',
    path: `${notificationsPath}/host-keys`,
    summary: "List the known host keys of the account's SFTP servers",
    access: 'administrator',
    action: 'contact-service::hostKeys::get',
    reply: z.array(HostKey),
  },
  /** For a server that has a new key: the next key that it presents is trusted. */
  forgetHostKey: {
    method: 'DELETE',
    path: `${notificationsPath}/host-keys/:host/:port`,
    summary: 'Forget the host key of an SFTP server',
    access: 'administrator',
    action: 'contact-service::hostKeys::delete',
    stores: false,
    params: z.object({ host: z.string(), port: z.coerce.number().pipe(Port) }),
    reply: z.object({}),
    errors: ['not_found'],
  },
  listDeliveries: {
    method: 'GET',
    path: deliveriesPath,
    summary: 'List the deliveries of an export with all attempts',
    access: 'contact-service::exports::get',
    params,
    reply: z.array(Delivery),
    errors: ['not_found'],
  },
  resendDelivery: {
    method: 'POST',
    path: `${deliveriesPath}/:delivery/resend`,
    summary: 'Retry a delivery now',
    access: 'contact-service::exports::put',
    stores: { what: 'work', does: 'send deliveries again' },
    params: params.extend({ delivery: z.string() }),
    reply: Delivery,
    errors: ['not_found', 'not_ready'],
  },
} as const satisfies Record<string, Route>
