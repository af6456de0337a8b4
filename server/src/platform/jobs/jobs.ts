import { callerKey } from '@portico/contract/email-address'
import { type RawBuilder, sql } from 'kysely'
import { fromKysely, PgBoss } from 'pg-boss'
import type { z } from 'zod'
import type { Db } from '../database.ts'
import { type Logger, sparseWarnings } from '../log.ts'
import { isServerAway } from '../citus/server-away.ts'

/**
 * A kind of background work. Jobs with the same `serialKey` run one after the other, in the order in which they were
 * enqueued, even if one is retried; all others run concurrently and take turns (`computeTurn`), and no single person's
 * jobs take all places. A handler may run again for the same job (a worker died, the database went away), so each must
 * be safe to repeat.
 */
export type JobKind<Data extends z.ZodType = z.ZodType> = {
  name: string
  data: Data
  serialKey: (data: z.output<Data>) => string
  /**
   * Whose rights a job acts with (ADR 0106). `holder`: those of the person who requested it, checked again before it
   * begins and after each crash. `noRight`: the reason why it needs none.
   */
  actsWith: 'holder' | { noRight: string }
  /** The rows of accounts that need such a job until they end; empty if only the queue knows the job. */
  rows: readonly JobRows[]
  /** Concurrent jobs of this kind in one process. */
  concurrency: number
  /**
   * The holder of a job that is enqueued for no person and without one: the jobs of one holder take at most `mostOfOne`
   * of the places.
   */
  holder?: (data: z.output<Data>) => string
  /** Default: half of `concurrency`, rounded up. */
  mostOfOne?: number
}

/** Rows of a table that every account has (`unqueued-jobs.ts`). */
export type JobRows = {
  table: string
  /** Returns the data of a row's job, without the account and without `progress`, which a later job may have. */
  data: (id: string) => object
  /** SQL condition for rows that have not ended; by default, their `status` decides. */
  unended?: RawBuilder<unknown>
  /** The column with the moment when the work is due; null if it has none. */
  dueAt?: string
}

export function defineJob<Data extends z.ZodType>(kind: JobKind<Data>): JobKind<Data> {
  return kind
}

/** For most kinds: jobs run one after the other within an account, with the rights of the person who requested them. */
export const oneByOneInAccount = {
  serialKey: ({ account }: { account: number }) => `account ${account}`,
  actsWith: 'holder',
  // One more than one person can take.
  concurrency: 3,
} as const

/**
 * Thrown by a handler that stopped cleanly, as `signal` was aborted or to give up its place; the job is resumed later.
 */
export class JobInterrupted extends Error {
  constructor(reason = 'The worker is stopping; the job resumes after its next start.') {
    super(reason)
    this.name = 'JobInterrupted'
  }
}

/** An attempt at a job, as the queue knows it. */
export type JobAttempt = {
  /** The previous attempt ended because the account's server was down: this one must not count as a recovery. */
  isAfterOutage: boolean
  /** Earlier attempts at this job, including those that a stopping worker interrupted. */
  earlier: number
}

/** `signal` is aborted when the process stops: finish the current batch and throw `JobInterrupted`. */
type JobHandler<Data> = (data: Data, signal: AbortSignal, attempt: JobAttempt) => Promise<void>

export type Jobs = {
  /**
   * Enqueues a job as part of the transaction `db`: it exists if and only if that commits. It does not start before
   * `notBefore`. `person` is the email of the person who requested it: their jobs in all accounts together never take
   * all places (ADR 0098). `holder`: that of a job for no person, where it is not in the data.
   */
  enqueue: <Data extends z.ZodType>(
    db: Db,
    kind: JobKind<Data>,
    data: z.output<Data>,
    options?: { notBefore?: Date; person?: string; holder?: string },
  ) => Promise<void>
  /** Starts taking jobs of this kind. */
  work: <Data extends z.ZodType>(kind: JobKind<Data>, handler: JobHandler<z.output<Data>>) => Promise<void>
  /** Runs work that continues until `signal` is aborted; `stop` waits for it. It must not reject. */
  keepRunning: (work: (signal: AbortSignal) => Promise<void>) => void
  /** Asks running handlers to stop, waits for them, and closes. */
  stop: () => Promise<void>
}

// One job of a key at a time, in order.
const policy = 'key_strict_fifo'
// A worker reports twice within this time; one that is silent for longer counts as dead, and another gets its job.
const heartbeatSeconds = 10
// The handler decides how often a job is retried, as it knows whether there was progress. These limits only slow down a
// job that cannot start (no database, no disk). Jobs stop within this time; one that does not is given to another
// worker.
const stopMs = 10_000
const retries = { retryLimit: 1_000_000, retryDelay: 1, retryBackoff: true, retryDelayMax: 15 }

/** Connects to the job queue (in the same database, schema `jobs`) and creates the queues of all kinds. */
export async function startJobs(databaseUrl: string, kinds: JobKind[], log: Logger): Promise<Jobs> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: 'jobs',
    application_name: 'portico jobs',
    max: 4,
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    maintenanceIntervalSeconds: 3600,
  })
  const stopping = new AbortController()
  // Every kind of job polls each second, so an outage of the database would fill the log.
  const warn = sparseWarnings(log, 'job queue', 10_000)
  // Stopping cuts off the queue's own queries.
  boss.on('error', (error) => stopping.signal.aborted || warn(error))
  await open(boss, kinds).catch(async (error: unknown) => {
    // Without this, its connections would stay open.
    stopping.abort()
    await boss.stop({ graceful: false, close: true }).catch(() => {})
    throw error
  })
  const running: Promise<void>[] = []
  return {
    async enqueue(db, kind, data, { notBefore, person, holder: ownHolder } = {}) {
      const checked = kind.data.parse(data) as object
      const holder = person === undefined ? (ownHolder ?? kind.holder?.(data)) : `person ${callerKey(person)}`
      // The adapter's type requires its own copy of Kysely's interface, which this object implements.
      const adapter = fromKysely(db as unknown as Parameters<typeof fromKysely>[0])
      const serialKey = kind.serialKey(data)
      await boss.send(kind.name, checked, {
        singletonKey: serialKey,
        priority: -(await computeTurn(db, kind.name, serialKey, holder)),
        db: adapter,
        ...(holder !== undefined && { group: { id: holder } }),
        ...(notBefore && { startAfter: notBefore }),
      })
    },
    async work(kind, handler) {
      await boss.work(kind.name, workOptions(kind), async ([job]) => {
        if (!job) return
        try {
          // The queue stores the error of the previous attempt.
          const attempt = { isAfterOutage: isServerAway(job.output), earlier: job.retryCount }
          await handler(kind.data.parse(job.data) as never, stopping.signal, attempt)
        } catch (error) {
          if (!(error instanceof JobInterrupted)) log.warn({ err: error, job: kind.name, data: job.data }, 'job failed')
          throw error
        }
      })
    },
    keepRunning(work) {
      running.push(work(stopping.signal))
    },
    async stop() {
      stopping.abort()
      await Promise.all(running)
      await boss.stop({ graceful: true, timeout: stopMs, close: true })
    },
  }
}

async function open(boss: PgBoss, kinds: JobKind[]): Promise<void> {
  await boss.start()
  const options = { heartbeatSeconds, ...retries, expireInSeconds: 23 * 3600, notify: true }
  const queues = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const { name } of kinds) {
    const queue = queues.get(name)
    if (!queue) await boss.createQueue(name, { policy, ...options })
    else if (!hasOptions(queue, options)) await boss.updateQueue(name, options)
  }
}

/** Whether a queue, which an earlier start may have created with other options, has these. */
function hasOptions(queue: object, options: object): boolean {
  const stored = new Map(Object.entries(queue))
  return Object.entries(options).every(([name, value]) => stored.get(name) === value)
}

const workOptions = ({ concurrency, mostOfOne }: Pick<JobKind, 'concurrency' | 'mostOfOne'>) => ({
  localConcurrency: concurrency,
  localGroupConcurrency: mostOfOne ?? Math.ceil(concurrency / 2),
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 2,
  includeMetadata: true as const,
})

const secondsPerTurn = 600
// Priorities are 32 bits wide: enough for 68 years from here.
const firstSecond = Date.UTC(2026, 0, 1) / 1000

/**
 * Returns the priority of a job (ADR 0045): its arrival time, plus ten minutes for each earlier job in the queue with
 * the same key or holder. A user with many jobs does not delay others, and no job waits forever.
 */
async function computeTurn(db: Db, kind: string, serialKey: string, holder: string | undefined): Promise<number> {
  // Phrased to match the queue's own indexes, so the cost does not grow with the number of ended jobs.
  const ofKey = sql`FROM jobs.job WHERE name = ${kind} AND singleton_key = ${serialKey} AND policy = ${sql.lit(policy)}`
  // Jobs that are not due yet do not delay others.
  const ofHolder = sql`FROM jobs.job WHERE name = ${kind} AND group_id = ${holder ?? null}`
  const { rows } = await sql<{ before: number }>`
    SELECT greatest(
      (SELECT count(*) ${ofKey} AND NOT blocked AND state < 'active')
        + (SELECT count(*) ${ofKey} AND state = 'active'),
      (SELECT count(*) ${ofHolder} AND NOT blocked AND state < 'active' AND start_after <= now())
        + (SELECT count(*) ${ofHolder} AND state = 'active'))::int AS before`.execute(db)
  return Math.floor(Date.now() / 1000) - firstSecond + secondsPerTurn * (rows[0]?.before ?? 0)
}
