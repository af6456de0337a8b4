import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { readEmailAddress } from '@portico/contract/email-address'
import { shownText } from '@portico/contract/shown-text'
import type { Config } from './config.ts'

/** A file that is attached to an email. */
export type Attachment = { fileName: string; contentType: string; content: Buffer }

/** An email. `text` and `html` have the same content; see `renderEmail` of `email-body.ts`. */
export type Message = {
  to: string | string[]
  subject: string
  text: string
  html: string
  /** The author. The portal remains the sender, and receives bounces. */
  from?: { name: string; address: string }
  /** The same for an email that is sent again: mail programs show it once. */
  id?: string
  attachment?: Attachment
}

export type Mail = {
  /**
   * Sends an email to the mail server of SMTP_URL, or writes it to the outbox. Throws `MailRefused` if a retry is
   * useless, and any other error if the job should be retried. Returns the addresses that the server rejected while it
   * accepted others.
   */
  send: (message: Message) => Promise<{ refused: string[] }>
}

/** The mail server will never accept this email: the address is unknown or malformed. */
export class MailRefused extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'MailRefused'
  }
}

/** The email was not accepted this time. The reason is for users, in the words of the mail server. */
export class MailFailed extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'MailFailed'
  }
}

type MailSettings = Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'company' | 'publicUrl'>
type Sender = { name: string; address: string }

// The queue retries a server that does not respond.
const timeouts = { connectionTimeout: 20_000, greetingTimeout: 20_000, socketTimeout: 60_000 }
// The content is built here; it must never make the library read a file or a URL.
const closed = { disableFileAccess: true, disableUrlAccess: true }

export function createMail(config: MailSettings): Mail {
  const from = portalSender(config)
  const deliver = config.smtpUrl === null ? toOutbox(join(config.dataDir, 'outbox')) : toServer(config.smtpUrl)
  return {
    async send({ to, subject, text, html, from: author, id, attachment }) {
      const recipients = [to].flat().map(requireAddress)
      const refused = await deliver({
        from: author ? { name: shownText(onOneLine(author.name)), address: requireAddress(author.address) } : from,
        // The address that mail servers check (SPF), and that bounces are sent to.
        ...(author &&
          author.address !== from.address && { sender: from, envelope: { from: from.address, to: recipients } }),
        ...(id !== undefined && { messageId: `<${id}@${new URL(config.publicUrl).hostname}>` }),
        // Objects, because a text would be parsed as a list: a comma in it would add a recipient.
        to: recipients.map((address) => ({ name: '', address })),
        // Written by users, like the names below: direction marks would reverse parts of them.
        subject: shownText(onOneLine(subject)),
        text,
        html,
        ...(attachment && {
          attachments: [
            {
              filename: shownText(attachment.fileName),
              contentType: attachment.contentType,
              content: attachment.content,
            },
          ],
        }),
        // Prevents automatic replies (out of office).
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      return { refused }
    },
  }
}

/** MAIL_FROM, or the company at an address derived from the public URL. */
export function portalSender({
  mailFrom,
  company,
  publicUrl,
}: Pick<MailSettings, 'mailFrom' | 'company' | 'publicUrl'>): Sender {
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
  attachments?: { filename: string; contentType: string; content: Buffer }[]
  headers: object
}
/** Sends an email. Returns the addresses that were refused. */
type Deliver = (message: Envelope) => Promise<string[]>

/** Loaded on demand: it takes 20 MB of memory. */
const loadMailer = () => import('nodemailer')

function toServer(smtpUrl: string): Deliver {
  return async (message) => {
    const { createTransport } = await loadMailer()
    const transport = createTransport({ url: smtpUrl, ...timeouts, ...closed })
    // After a local part that is not ASCII, the library would send the domain in Unicode, for the mail server to
    // convert.
    const { from, to } = message.envelope ?? {
      from: message.from.address,
      to: message.to.map(({ address }) => address),
    }
    transport.use('stream', ({ message: composed }, done) => {
      composed.getEnvelope = () => ({ from, to })
      done()
    })
    try {
      const { rejected } = await transport.sendMail({ ...message, headers: { ...message.headers } })
      return rejected
    } catch (error) {
      throw failureOf(error)
    }
  }
}

/** Returns the reason in the mail server's words: the library's could contain the email or the server's password. */
function failureOf(error: unknown): Error {
  const { code, responseCode, response } = Object(error) as { code?: string; responseCode?: number; response?: string }
  const reason = response
    ? `The mail server did not accept the message: ${onOneLine(response).slice(0, 500)}`
    : `The mail server did not accept the message (${code ?? 'no reason given'}).`
  // 5xx is final only for the message. A rejected sign-in to the server is for the operator to fix, so it is retried.
  const isFinal = (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode ?? 0) >= 500
  return isFinal ? new MailRefused(reason) : new MailFailed(reason)
}

/**
 * Writes each email (RFC 822) to a file named by its time, readable only by the owner: emails contain sign-in links.
 */
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
        // A Buffer, because of the option `buffer`; the type also allows a stream.
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

/** Returns the address as its key was made, its domain in ASCII. Throws if a mail server could read it differently. */
function requireAddress(text: string): string {
  const read = readEmailAddress(text)
  if ('key' in read) return read.address
  throw new MailRefused(read.problem ?? 'This is not a valid email address.')
}

function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
