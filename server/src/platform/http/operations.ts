import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { AppError } from '#platform/app-error.ts'
import { watchClusterWorkers } from '#platform/citus/cluster-workers.ts'
import { measureLoopDelay } from '#platform/waits/event-loop.ts'
import type { Context } from './context.ts'
import { createMetricsAccess } from './metrics-access.ts'
import { isMigrated } from '#platform/migrations.ts'
import type { Services } from '#platform/services.ts'

const metricsRefusal = 'Metrics are read from this machine, or from the addresses in the setting METRICS_ALLOW.'

/** Logs and counts every request, and serves `/healthz`, `/readyz` and `/metrics` (Prometheus). */
export function operationsRoutes(
  app: FastifyInstance,
  services: Pick<Services, 'database' | 'config'>,
  hasStarted: () => boolean,
): void {
  probes(app, services, hasStarted)
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
  gaugeConnections(registry, services)
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.statusCode }
    durations.observe(labels, reply.elapsedTime / 1000)
    // Without the query: it can hold a signature or search terms.
    const path = request.url.slice(0, mostPathInLog).replace(/\?.*$/s, '')
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10
    const { caller } = (request.context as Context | null) ?? {}
    // Visitors of other sites are not users: their addresses are not kept.
    const address = request.routeOptions.config.isDoor ? undefined : request.ip
    const who = { person: caller?.personId, account: caller?.account ?? undefined, address }
    const what = { method: request.method, path: withoutSecrets(path), status: reply.statusCode, milliseconds }
    // Undefined values are omitted.
    request.log.info({ ...what, ...who }, 'request')
  })
  const mayReadMetrics = createMetricsAccess(services.config)
  app.get('/metrics', probe, async (request, reply) => {
    if (mayReadMetrics(request)) return reply.type(registry.contentType).send(await registry.metrics())
    throw new AppError('not_allowed', undefined, metricsRefusal)
  })
}

// No route has a longer path.
const mostPathInLog = 2000

// Skips authentication, which queries the database.
const probe = { logLevel: 'silent', config: { isProbe: true } } as const

// A person who waits this long for a page thinks that it is broken.
const mostBlockedMs = 5000
const mostExhaustedMs = 5000

/**
 * `/healthz`: the process is alive. A blocked process does not respond, and one that blocks repeatedly reports it.
 * `/readyz`: it can work: it has started, the database is available and migrated, and connections become free.
 */
function probes(app: FastifyInstance, { database }: Pick<Services, 'database'>, hasStarted: () => boolean): void {
  const delay = measureLoopDelay()
  app.addHook('onClose', async () => delay.stop())
  app.get('/healthz', probe, async (_request, reply) => {
    const blockedMs = delay.longestMs()
    return blockedMs > mostBlockedMs ? reply.code(503).send({ status: 'stuck', blockedMs }) : { status: 'ok' }
  })
  let isReady = false
  app.get('/readyz', probe, async (_request, reply) => {
    if (!hasStarted()) return reply.code(503).send({ status: 'starting' })
    const exhaustedMs = database.usage.changing.exhaustedForMs()
    if (exhaustedMs !== null && exhaustedMs > mostExhaustedMs)
      return reply.code(503).send({ status: 'no free connection', exhaustedMs: Math.round(exhaustedMs) })
    // A query would wait for a connection as well.
    const isBusy = exhaustedMs !== null && isReady
    if (!isBusy) isReady = await isMigrated(database.pool).catch(() => false)
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready' })
  })
}

function gaugeConnections(registry: Registry, { database }: Pick<Services, 'database'>): void {
  new Gauge({
    name: 'portico_database_connections',
    help: 'Connections to the database, open and idle, and requests that wait for one, by pool',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, usage] of Object.entries(database.usage)) {
        for (const [state, count] of Object.entries(usage.now())) this.set({ pool, state }, count)
      }
    },
  })
}

/** Reports which workers of a Citus cluster can be reached; nothing on PostgreSQL alone. */
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

/**
 * Redacts secret links, which could otherwise be followed from the log: 43 characters hold our 256-bit secrets. Each
 * part of the path is decoded, as by the router, and redacted as a whole.
 */
function withoutSecrets(path: string): string {
  return path
    .split('/')
    .map((part) => (/[\w-]{43}/.test(decoded(part)) ? '…' : part))
    .join('/')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
