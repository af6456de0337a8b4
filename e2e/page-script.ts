import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

// Stand-ins for the network side of portico.js: a portal that records every call, and a site of another origin.

type SentEvent = { id: string; event_code: string; event_date: string; event_path: string; [field: string]: unknown }

/** A call of the script to the portal. */
type Call = { method: string; path: string; query: string; headers: IncomingMessage['headers']; body: string }

/** The site's page: attributes of the script's tag, content of the head before it, and the body. */
type SitePage = { attributes: string; head: string; body: string }

export type Peers = {
  portalUrl: string
  siteUrl: string
  /** Query of a visitor → public columns. */
  visitors: Record<string, Record<string, string | number | boolean>>
  page: SitePage
  /** Status of the next responses of each kind; 0 drops the connection. */
  answers: { offers: number[]; events: number[] }
  /** Delays the script until it resolves. */
  scriptAfter: Promise<void>
  calls: Call[]
  events: () => SentEvent[]
  close: () => Promise<void>
}

const publicPath = '/api/contact-service/v1/public'
const script = join(import.meta.dirname, '../page-script/dist/portico.js')

/** Starts both on free ports. */
export async function startPeers(): Promise<Peers> {
  const calls: Call[] = []
  const peers: Peers = {
    portalUrl: '',
    siteUrl: '',
    visitors: { 'purl=anna-smith': { 'First Name': 'Anna', City: 'Denver' } },
    page: { attributes: '', head: '', body: '<h1>Hello <b data-portico="First Name">friend</b></h1>' },
    answers: { offers: [], events: [] },
    scriptAfter: Promise.resolve(),
    calls,
    events: () =>
      calls
        .filter(({ method, path }) => method === 'POST' && path.endsWith('/events'))
        .flatMap(({ body }) => (JSON.parse(body) as { events: SentEvent[] }).events),
    close: async () => {
      await Promise.all([portal, site].map(stop))
    },
  }
  const portal = await listen((request, response) => void answerAsPortal(peers, request, response))
  const site = await listen((request, response) => answerAsSite(peers, request, response))
  peers.portalUrl = `http://127.0.0.1:${portOf(portal)}`
  // A different host as well as a different port.
  peers.siteUrl = `http://localhost:${portOf(site)}`
  return peers
}

async function answerAsPortal(peers: Peers, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', peers.portalUrl)
  const query = search.slice(1)
  if (pathname === `${publicPath}/portico.js`) {
    await peers.scriptAfter
    response.writeHead(200, { 'content-type': 'text/javascript', 'cross-origin-resource-policy': 'cross-origin' })
    response.end(await readFile(script))
    return
  }
  const body = await text(request)
  peers.calls.push({ method: request.method ?? '', path: pathname, query, headers: request.headers, body })
  const visitor = peers.visitors[query]
  const kind = pathname.endsWith('/offers') ? 'offers' : 'events'
  const status = peers.answers[kind].shift() ?? (visitor ? (kind === 'offers' ? 200 : 202) : 404)
  if (status === 0) {
    request.socket.destroy()
    return
  }
  // As in the portal: refused sites cannot read why.
  const cors = { 'access-control-allow-origin': request.headers.origin ?? '', vary: 'Origin' }
  const isReadable = status !== 403 && status !== 429
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(isReadable && cors),
  })
  response.end(JSON.stringify(kind === 'offers' ? (visitor ?? {}) : { recorded: 1, dropped: 0 }))
}

function answerAsSite({ portalUrl, page }: Peers, request: IncomingMessage, response: ServerResponse): void {
  const policy = `default-src 'none'; script-src ${portalUrl}${page.head && " 'self'"}; connect-src ${portalUrl}; style-src 'self'`
  response.setHeader('content-security-policy', policy)
  if (request.url === '/early.js') {
    response.setHeader('content-type', 'text/javascript')
    response.end(earlyScript)
    return
  }
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(`<!doctype html><html lang="en"><head><title>A site</title>${page.head}
    <script async src="${portalUrl}${publicPath}/portico.js" data-account="7" ${page.attributes}></script></head>
    <body>${page.body}</body></html>`)
}

/** The lines from the documentation, with calls of the site. */
const documentation = readFileSync(join(import.meta.dirname, '../docs/page-script.md'), 'utf8')
const earlyScript = `${/^window\.portico = [^]*?^}/m.exec(documentation)?.[0]}
portico.track('early', { step: 1 })
portico.consent()
portico.track('later', { step: 2 })
`

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** Returns a port that no program uses. */
export async function freePort(): Promise<number> {
  const server = await listen(() => {})
  const port = portOf(server)
  await stop(server)
  return port
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server does not listen.')
  return address.port
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
