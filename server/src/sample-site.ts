import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createLimitedServer } from '#platform/http/limited-server.ts'
import { requestLimits } from '#platform/http/slow-requests.ts'
import type { Logger } from '#platform/log.ts'

/** The address of the site, and the portal that its page calls. */
export type SampleSite = { host: string; port: number; portalUrl: string }

const folder = join(import.meta.dirname, '../../page-script/sample')

/** `/{account}/{purl}`, with a possible number of an account. */
const pagePath = /^\/([1-9]\d{0,8})\/[^/]+\/?$/

type File = { type: string; body: string }

/**
 * Serves a personalized web site for the demo, at `/{account}/{purl}`. It has its own port because only a page of
 * another origin shows what web sites may do. Returns a function that stops it; null if the port is taken, which does
 * not stop the portal.
 */
export async function startSampleSite(site: SampleSite, log: Logger): Promise<(() => Promise<void>) | null> {
  const page = await readFile(join(folder, 'index.html'), 'utf8')
  const files: Record<string, File> = {
    '/sample.css': { type: 'text/css; charset=utf-8', body: await readFile(join(folder, 'sample.css'), 'utf8') },
    '/icon.svg': { type: 'image/svg+xml', body: await readFile(join(folder, 'icon.svg'), 'utf8') },
    '/sample.js': { type: 'text/javascript; charset=utf-8', body: await readFile(join(folder, 'sample.js'), 'utf8') },
  }
  const server = limitedServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '/'
    const account = pagePath.exec(path)?.[1]
    const file =
      account === undefined ? files[path] : { type: 'text/html; charset=utf-8', body: fill(page, site, account) }
    send(response, site, file)
  })
  try {
    await once(server.listen(site.port, site.host), 'listening')
  } catch (error) {
    log.warn(
      { port: site.port, err: error },
      'the sample site is not served; set SAMPLE_SITE_PORT to a free port or to off',
    )
    return null
  }
  return () => close(server)
}

const limitedServer = (handle: RequestListener): Server => createLimitedServer(handle, requestLimits, () => false)

/** Fills the two values of the page in. An account is only digits; the portal's URL is escaped. */
function fill(page: string, { portalUrl }: SampleSite, account: string): string {
  const values: Record<string, string> = { portal: escapeHtml(portalUrl), account }
  return page.replaceAll(/\{\{(portal|account)\}\}/g, (_match, name: string) => values[name] ?? '')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

function send(response: ServerResponse, { portalUrl }: SampleSite, file: File | undefined): void {
  const portal = new URL(portalUrl).origin
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${portal}`,
    `connect-src ${portal}`,
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  const { type, body } = file ?? {
    type: 'text/plain; charset=utf-8',
    body: 'Page not found. Open /{account}/{purl}.\n',
  }
  response.writeHead(file ? 200 : 404, {
    'content-type': type,
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  response.end(body)
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Browsers keep connections open.
  server.closeAllConnections()
  await closed
}
