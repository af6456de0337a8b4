import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { AppError } from '#platform/app-error.ts'
import { watchClusterWorkers } from '#platform/citus/cluster-workers.ts'
import type { Context } from './context.ts'
import { createMetricsAccess } from './metrics-access.ts'
import { isMigrated } from '#platform/migrations.ts'
import type { Services } from '#platform/services.ts'

const metricsRefusal = 'Metrics are read from this machine, or from the addresses in the setting METRICS_ALLOW.'

/** Logs and counts every request. `/healthz` (the process is alive), `/readyz` (database there and migrated), `/metrics` (Prometheus). */
export function operationsRoutes(app: FastifyInstance, services: Pick<Services, 'database' | 'config'>): void {
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
  gaugeWorkers(registry, services)
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }
    durations.observe(labels, reply.elapsedTime / 1000)
    // Without the query: it can hold a signature or search terms.
    const [path = ''] = request.url.split('?')
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10
    const { caller } = (request.context as Context | null) ?? {}
    // Visitors of other sites' pages are not users: their address is not kept.
    const address = request.routeOptions.config.isDoor ? undefined : request.ip
    const who = { person: caller?.personId, account: caller?.account ?? undefined, address }
    const what = { method: request.method, path: withoutSecrets(path), status: reply.statusCode, milliseconds }
    // Undefined values are not written.
    request.log.info({ ...what, ...who }, 'request')
  })
  const mayReadMetrics = createMetricsAccess(services.config)
  app.get('/metrics', { logLevel: 'silent' }, async (request, reply) => {
    if (mayReadMetrics(request)) return reply.type(registry.contentType).send(await registry.metrics())
    throw new AppError('not_allowed', undefined, metricsRefusal)
  })
}

/** Tells which workers of a Citus cluster are reached; nothing on PostgreSQL alone. */
function gaugeWorkers(registry: Registry, { database }: Pick<Services, 'database'>): void {
  const workers = watchClusterWorkers(database.pool)
  new Gauge({
    name: 'portico_database_worker_up',
    help: 'Whether the coordinator reaches a worker (1) or not (0), by its nodeid in pg_dist_node',
    labelNames: ['worker'],
    registers: [registry],
    async collect() {
      const latest = await workers.latest()
      this.reset()
      for (const { id, isUp } of latest) this.set({ worker: id }, isUp ? 1 : 0)
    },
  })
}

/** Redacts secret links, so that they cannot be followed from the log: 43 characters hold our 256-bit secrets. */
function withoutSecrets(path: string): string {
  return path.replaceAll(/(?<=\/)[\w-]{43}(?=\/|$)/g, '…')
}
