import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * Sends requests on one persistent connection, with a body as POST. Returns the body; throws if the status is not 200.
 */
export type Ask = { json: <T>(path: string, body?: object) => Promise<T>; close: () => void }

/**
 * A minimal HTTP client on one connection: Node's own takes half a millisecond, and only the portal should be measured.
 * One request at a time; replies need a content length.
 */
export function openAsk(portal: { port: number; token: string }): Ask {
  let socket: Socket | undefined
  const text = async (path: string, sent: object | undefined): Promise<string> => {
    if (!socket) {
      socket = connect({ port: portal.port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
    }
    const content = sent && JSON.stringify(sent)
    const head = [
      `${sent ? 'POST' : 'GET'} /api${path} HTTP/1.1`,
      `host: 127.0.0.1:${portal.port}`,
      `authorization: Bearer ${portal.token}`,
      ...(content ? ['content-type: application/json', `content-length: ${Buffer.byteLength(content)}`] : []),
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${content ?? ''}`)
    const { status, body } = await readReply(socket)
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
    return body
  }
  return {
    // The caller asserts the type of the body.
    json: async <T>(path: string, body?: object) => JSON.parse(await text(path, body)) as T,
    close: () => socket?.destroy(),
  }
}

function readReply(socket: Socket): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const onClose = () => reject(new Error('The portal closed the connection.'))
    const onData = (part: Buffer) => {
      received = received.length === 0 ? part : Buffer.concat([received, part])
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = received.toString('latin1', 0, headEnd)
      const bytes = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? NaN)
      if (Number.isNaN(bytes)) reject(new Error(`A reply without a content length: ${head}`))
      if (received.length < headEnd + 4 + bytes) return
      socket.off('data', onData).off('close', onClose).off('error', reject)
      resolve({ status: Number(head.slice(9, 12)), body: received.toString('utf8', headEnd + 4) })
    }
    socket.on('data', onData).once('close', onClose).once('error', reject)
  })
}

/** Query of `/offers`: objects are sent as JSON, undefined values are omitted. */
export type Query = Record<string, string | number | object | undefined>

export function offersPath(query: Query): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`],
  )
  return `/contact-service/v1/offers?${parameters.join('&')}`
}
