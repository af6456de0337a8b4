import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#platform/app-error.ts'

const built = join(import.meta.dirname, '../../../../web/dist')

/** Returns the sources of the inline scripts of the web app's page; none before it is built. */
export function inlineScripts(): string[] {
  const page = join(built, 'index.html')
  return existsSync(page) ? scriptsWithin(readFileSync(page, 'utf8')) : []
}

/** Returns the sources of a page's inline scripts, unchanged: browsers hash them. */
export const scriptsWithin = (page: string): string[] =>
  page
    .split('</script>')
    .slice(0, -1)
    .flatMap((part) => {
      const start = part.indexOf('<script>')
      return start < 0 ? [] : [part.slice(start + '<script>'.length)]
    })

/**
 * Serves the built web app. Its page is sent for every path that is neither a file nor the API, as it does the routing.
 */
export async function serveWebApp(app: FastifyInstance): Promise<void> {
  if (!existsSync(join(built, 'index.html'))) {
    app.setNotFoundHandler(() => {
      throw new AppError('not_found')
    })
    return
  }
  await app.register(fastifyStatic, {
    root: built,
    wildcard: true,
    // The build writes .br and .gz files next to scripts and styles.
    preCompressed: true,
    index: false,
    setHeaders: (reply, path) => {
      // Vite names these by their content, so they never change; the page refers to them and must not be cached.
      const isImmutable = path.includes('/assets/')
      reply.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  app.get('/', (_request, reply) => reply.sendFile('index.html'))
  app.setNotFoundHandler((request, reply) => {
    // A missing chunk must not return the page: the browser would run HTML as a script and show a blank page.
    const isPage = ['GET', 'HEAD'].includes(request.method) && !/^\/(api|assets)(\/|$)/i.test(request.url)
    if (isPage) return reply.sendFile('index.html')
    throw new AppError('not_found')
  })
}
