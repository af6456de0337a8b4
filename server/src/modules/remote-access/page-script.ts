import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#platform/app-error.ts'
import { apiPrefix } from '#platform/http/serving.ts'

const built = join(import.meta.dirname, '../../../../page-script/dist/portico.js')

// Pages get a new version within an hour; until then they do not even send a request.
const cacheControl = 'public, max-age=3600, stale-while-revalidate=86400'

/**
 * Serves the page script, if it has been built. Compressed by the portal's compression, and identified to caches by its
 * content.
 */
export function pageScriptRoute(app: FastifyInstance): void {
  const script = existsSync(built) ? readFileSync(built) : null
  const etag = script && `"${createHash('sha256').update(script).digest('base64url').slice(0, 27)}"`
  app.get(`${apiPrefix}/contact-service/v1/public/portico.js`, { config: { isDoor: true } }, (request, reply) => {
    if (!script || !etag) throw new AppError('not_found')
    void reply.headers({ 'cache-control': cacheControl, etag, vary: 'Accept-Encoding' })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return reply.type('text/javascript; charset=utf-8').send(script)
  })
}
