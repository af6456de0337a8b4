import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type WebhookServer = {
  url: string
  received: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[]
  /** Returns the next calls, one each; after them every call is answered with 200. */
  answers: ((response: ServerResponse) => void)[]
  close: () => Promise<void>
}

/** A server on a free port of this machine that takes calls and answers as it is told. */
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
  // Listening on a port, it has an address of this kind.
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
