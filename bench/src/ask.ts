import { Agent, get } from 'node:http'

/** Asks the portal over one connection that stays open; answers the body of the reply, and throws unless it is 200. */
export type Ask = { json: <T>(path: string) => Promise<T>; close: () => void }

/** As one browser does, with as little of its own as can be: what is measured is the portal. */
export function openAsk(portal: { port: number; token: string }): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  const headers = { authorization: `Bearer ${portal.token}` }
  const text = (path: string) =>
    new Promise<string>((resolve, reject) => {
      get(`http://127.0.0.1:${portal.port}/api${path}`, { agent, headers }, (reply) => {
        let body = ''
        reply.setEncoding('utf8')
        reply.on('data', (part: string) => (body += part))
        reply.once('error', reject)
        reply.once('end', () => {
          if (reply.statusCode === 200) resolve(body)
          else reject(new Error(`${path}: ${reply.statusCode} ${body}`))
        })
      }).once('error', reject)
    })
  return {
    // What the caller expects of the call, as with any client.
    json: async <T>(path: string) => JSON.parse(await text(path)) as T,
    close: () => agent.destroy(),
  }
}

/** What is asked of `/offers`: objects are sent as JSON, what is undefined is not. */
export type Query = Record<string, string | number | object | undefined>

export function offersPath(query: Query): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name}=${encodeURIComponent(typeof value === 'object' ? JSON.stringify(value) : String(value))}`],
  )
  return `/contact-service/v1/offers?${parameters.join('&')}`
}
