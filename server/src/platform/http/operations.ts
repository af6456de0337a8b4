import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { isMigrated } from '#platform/migrations.ts'
import type { Services } from '#platform/services.ts'

/** Logs and counts every request. `/healthz` (the process is alive), `/readyz` (database there and migrated), `/metrics` (Prometheus). */
export function operationsRoutes(app: FastifyInstance, services: Pick<Services, 'database'>): void {
  app.get('/healthz', { logLevel: 'silent' }, async () => ({ status: 'ok' }))
  app.get('/readyz', { logLevel: 'silent' }, async (_request, reply) => {
    const isReady = await isMigrated(services.database.pool).catch(() => false)
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready' })
  })

  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: 'Response time, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }
    durations.observe(labels, reply.elapsedTime / 1000)
    // Without the query: it can hold a signature or search terms.
    const [path = ''] = request.url.split('?')
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10
    request.log.info(
      { method: request.method, path: withoutSecrets(path), status: reply.statusCode, milliseconds },
      'request',
    )
  })
  app.get('/metrics', { logLevel: 'silent' }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}

/** Redacts secret links, so that they cannot be followed from the log: 43 characters hold our 256-bit secrets. */
function withoutSecrets(path: string): string {
  return path.replaceAll(/(?<=\/)[\w-]{43}(?=\/|$)/g, '…')
}
