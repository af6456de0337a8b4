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
    help: 'Time to answer, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }
    durations.observe(labels, reply.elapsedTime / 1000)
    // The path alone: a query can hold a signature, or what somebody searched for.
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

/** Whoever reads a log must not be able to follow the links in it: 43 characters are the 256 bits of one of our secrets. */
function withoutSecrets(path: string): string {
  return path.replaceAll(/(?<=\/)[\w-]{43}(?=\/|$)/g, '…')
}
