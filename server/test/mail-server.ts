import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A received message with its recipients. */
type Received = { recipients: string[]; message: Email }

export type MailServer = {
  url: string
  received: Received[]
  /** Makes the server reject messages with this response; null: accepts them again. */
  refuse: (reason: { code: number; message: string } | null) => void
  close: () => Promise<void>
}

/** Starts a mail server on a free port of this machine, which keeps its messages. */
export async function startMailServer(): Promise<MailServer> {
  const received: Received[] = []
  let refusal: { code: number; message: string } | null = null
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
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
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
  // A server that listens on a port has an address of this form.
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse: (reason) => void (refusal = reason),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
