import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type WebhookServer = {
  url: string
  received: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[]
  /** Responses to the next calls, one each; later calls get 200. */
  answers: ((response: ServerResponse) => void)[]
  close: () => Promise<void>
}

/** Starts a server on a free port of this machine that records calls and sends the given responses. */
export async function startWebhookServer(): Promise<WebhookServer> {
  const received: WebhookServer['received'] = []
  const answers: WebhookServer['answers'] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      const answer = answers.shift() ?? ((to: ServerResponse) => void to.end('thank you'))
      answer(response)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
