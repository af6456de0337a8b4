import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A received email with its recipients. */
type Received = { recipients: string[]; message: Email }

export type MailServer = {
  url: string
  received: Received[]
  /** The addresses of emails as the portal sent them, each sender and each recipient; `received` has them decoded. */
  addressed: { from: string[]; to: string[] }
  /** Makes the server reject emails with this response; null: accepts them again. */
  refuse: (reason: { code: number; message: string } | null) => void
  close: () => Promise<void>
}

/** Starts a mail server on a free port of this machine, which keeps its emails. */
export async function startMailServer(): Promise<MailServer> {
  const received: Received[] = []
  const addressed: MailServer['addressed'] = { from: [], to: [] }
  let refusal: { code: number; message: string } | null = null
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    // Accepts addresses that are not ASCII.
    hideSMTPUTF8: false,
    onRcptTo(_address, _session, done) {
      done(refusal && Object.assign(new Error(refusal.message), { responseCode: refusal.code }))
    },
    onData(stream, { envelope }, done) {
      callbackify(async () => {
        const message = await PostalMime.parse(await buffer(stream))
        received.push({ recipients: envelope.rcptTo.map(({ address }) => address), message })
      })(done)
    },
  })
  server.server.on('connection', (socket) => {
    socket.on('data', (chunk: Buffer) => {
      for (const [, command, address = ''] of chunk.toString().matchAll(/^(MAIL FROM|RCPT TO):<([^>]*)>/gm)) {
        addressed[command === 'MAIL FROM' ? 'from' : 'to'].push(address)
      }
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
  // A server that listens on a port has an address of this form.
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    addressed,
    refuse: (reason) => void (refusal = reason),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
