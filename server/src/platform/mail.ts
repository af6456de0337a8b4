import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Config } from './config.ts'

/** A message for people. `text` and `html` say the same; see `renderEmail` of `email-body.ts`. */
export type Message = {
  to: string | string[]
  subject: string
  text: string
  html: string
  /** Who it says it is from. The portal stays the one that sends it, and to whom it comes back. */
  from?: { name: string; address: string }
  /** The same for the same message sent again: programs then show one of them. */
  id?: string
}

export type Mail = {
  /**
   * Hands a message over: to the mail server of SMTP_URL, or else as a file to the outbox. Throws `MailRefused` when
   * trying again is no use, and any other error when it is: then the job that sends it runs again. Returns the
   * addresses that the server refused while it took the message for others.
   */
  send: (message: Message) => Promise<{ refused: string[] }>
}

/** The mail server will never accept this message: the address is unknown or malformed. */
export class MailRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'MailRefused'
  }
}

type MailSettings = Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'company' | 'publicUrl'>
type Sender = { name: string; address: string }

// The queue retries a server that does not respond.
const timeouts = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 60_000 }
// What is sent is made here alone; nothing in it may reach for a file or an address.
const closed = { disableFileAccess: true, disableUrlAccess: true }

export function createMail(config: MailSettings): Mail {
  const from = senderOf(config)
  const deliver = config.smtpUrl === null ? toOutbox(join(config.dataDir, 'outbox')) : toServer(config.smtpUrl)
  return {
    async send({ to, subject, text, html, from: author, id }) {
      const recipients = [to].flat().map(requireAddress)
      const refused = await deliver({
        from: author ? { name: onOneLine(author.name), address: requireAddress(author.address) } : from,
        // Whose word the servers on the way take (SPF), and where a message goes that cannot be delivered.
        ...(author && { sender: from, envelope: { from: from.address, to: recipients } }),
        ...(id !== undefined && { messageId: `<${id}@${new URL(config.publicUrl).hostname}>` }),
        // As objects: a text would be read as a list, so that a comma in it made two recipients of one.
        to: recipients.map((address) => ({ name: '', address })),
        subject: onOneLine(subject),
        text,
        html,
        // Keeps automatic replies (out of office) away.
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      return { refused }
    },
  }
}

/** MAIL_FROM, or else the company at a name that the portal's own address suggests. */
function senderOf({ mailFrom, company, publicUrl }: MailSettings): Sender {
  const host = new URL(publicUrl).hostname
  const address = mailFrom?.address ?? `no-reply@${isIP(host.replaceAll(/[[\]]/g, '')) ? 'localhost' : host}`
  return { name: onOneLine(mailFrom?.name ?? company), address }
}

type Envelope = {
  from: Sender
  sender?: Sender
  envelope?: { from: string; to: string[] }
  messageId?: string
  to: Sender[]
  subject: string
  text: string
  html: string
  headers: object
}
/** Returns the addresses that were refused. */
type Deliver = (message: Envelope) => Promise<string[]>

/** It takes 20 MB of memory: too much for a thread that never sends. */
const loadMailer = () => import('nodemailer')

function toServer(smtpUrl: string): Deliver {
  return async (message) => {
    const { createTransport } = await loadMailer()
    const transport = createTransport({ url: smtpUrl, ...timeouts, ...closed })
    try {
      const { rejected } = await transport.sendMail({ ...message, headers: { ...message.headers } })
      return rejected
    } catch (error) {
      throw failureOf(error)
    }
  }
}

/** What went wrong, without the message itself: it ends in a log. */
function failureOf(error: unknown): Error {
  const { code, responseCode, message } = Object(error) as { code?: string; responseCode?: number; message?: string }
  const reason = `The mail server did not accept the message: ${message ?? 'no reason given'}`
  // 5xx is for ever, but about the message only here: a refused sign-in to the server is the operator's to mend.
  const isFinal = (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode ?? 0) >= 500
  return isFinal ? new MailRefused(reason) : new Error(reason)
}

/** One complete message (RFC 822) a file, named by when it was made. They hold links that sign people in. */
function toOutbox(folder: string): Deliver {
  return async (message) => {
    const { createTransport } = await loadMailer()
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...closed })
    const { message: bytes } = await transport.sendMail({ ...message, headers: { ...message.headers } })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}`
    const partial = join(folder, `.${name}.part`)
    try {
      const file = await open(partial, 'wx', 0o600)
      try {
        // With `buffer` it is one; the type stands for the stream as well.
        await file.writeFile(bytes as Buffer)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(partial, join(folder, `${name}.eml`))
      return []
    } finally {
      await rm(partial, { force: true })
    }
  }
}

/** The address itself; one that could mean something else to a mail server is refused. */
function requireAddress(address: string): string {
  if (/^[^\s@,;:<>()[\]\\"\p{Cc}]+@[^\s@,;:<>()\\"\p{Cc}]+$/u.test(address)) return address
  throw new MailRefused('This is not a valid email address.')
}

function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
