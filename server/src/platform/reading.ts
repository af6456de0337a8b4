import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { type Connection, connectMs, type Db, processOf, queriesOn, readingPoolOf, withConnection } from './database.ts'
import { passingOn } from './waits/reading-limits.ts'
import { mostReplyBytes, replyTooLarge } from './waits/reply-limit.ts'
import { shareWorkMemory } from './work-memory.ts'
import { beneficiaryOf, createPoolShares, type PoolShares } from './waits/shares.ts'

// Connections for queries written by users: read-only, with a timeout, and cancelled when the reader disconnects.

/**
 * Runs `work` on a separate read-only connection, with a statement timeout of 30 seconds. Statements issued at the same
 * time are pipelined, and run one after the other. Pending statements are cancelled when `signal` is aborted, when
 * `work` calls `cancel`, or when it has read more than a reply may hold. Each statement sees what was committed when it
 * started, but nothing of an open transaction. `areas`: the sorts that a statement holds at once (`shareWorkMemory`).
 */
export async function withReadOnlyConnection<T>(
  db: Db,
  signal: AbortSignal | undefined,
  work: (reader: Db, cancel: () => void) => Promise<T>,
  areas = 0,
): Promise<T> {
  const onSnapshot = snapshotReaders.get(db)
  if (onSnapshot) return onSnapshot(signal, work as ReaderWork<unknown>, areas) as Promise<T>
  const pool = readingPoolOf(db)
  if (!pool) throw new Error('A read-only connection would not see the changes of the open transaction.')
  const free = await placeOf(pool, signal)
  const outcome = await withConnection({ db: db as Kysely<object>, pool }, async (connection) => {
    const isShared = await shareWorkMemory(connection.db, areas, false)
    const read = await readCancellably(db, connection, signal, work)
    // A connection that fails is closed.
    if (isShared) await connection.client.query('RESET work_mem')
    return read
  }).finally(free)
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

type ReaderWork<T> = (reader: Db, cancel: () => void) => Promise<T>
type Outcome<T> = { value: T } | { error: unknown }

/** Returns the error of a refused or cancelled statement, which has no effect; throws all others. */
async function readCancellably<T>(
  db: Db,
  { db: reader, client }: Pick<Connection, 'db' | 'client'>,
  signal: AbortSignal | undefined,
  work: ReaderWork<T>,
): Promise<Outcome<T>> {
  let isAtWork = true
  let cancelled: Promise<void> | undefined
  let isTooLarge = false
  const cancel = () => void (cancelled ??= cancelWhile(db, client, () => isAtWork))
  signal?.throwIfAborted()
  signal?.addEventListener('abort', cancel, { once: true })
  const unwatch = watchBytes(client, mostReplyBytes, () => {
    isTooLarge = true
    cancel()
  })
  try {
    const value = await work(reader, cancel)
    return isTooLarge ? { error: replyTooLarge() } : { value }
  } catch (error) {
    if (isRefusedStatement(error)) return { error: isTooLarge ? replyTooLarge() : error }
    throw error
  } finally {
    unwatch()
    isAtWork = false
    signal?.removeEventListener('abort', cancel)
    // A late cancellation must not hit the next user of the connection.
    await cancelled
  }
}

type ReaderOnSnapshot = (signal: AbortSignal | undefined, work: ReaderWork<unknown>, areas: number) => Promise<unknown>
const snapshotReaders = new WeakMap<Db, ReaderOnSnapshot>()

/**
 * Lets `withReadOnlyConnection` read in an open transaction with its own connection, instead of a connection for each
 * query: all queries see the data of the transaction, and run one after the other. From here on it is read-only.
 */
export async function readOnSnapshot(db: Db, client: pg.PoolClient): Promise<Db> {
  const reader = queriesOn(client)
  await client.query(`SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = '30s'`)
  let last: Promise<unknown> = Promise.resolve()
  const readNext: ReaderOnSnapshot = async (signal, work, areas) => {
    await client.query('SAVEPOINT reading')
    const isShared = await shareWorkMemory(reader, areas, true)
    const outcome = await readCancellably(db, { db: reader, client }, signal, work)
    // A refused statement would otherwise end the whole transaction.
    await client.query(`${'error' in outcome ? 'ROLLBACK TO' : 'RELEASE'} SAVEPOINT reading`)
    if (isShared) await client.query('SET LOCAL work_mem TO DEFAULT')
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
  snapshotReaders.set(reader, (signal, work, areas) => {
    const next = last.then(() => readNext(signal, work, areas))
    last = next.catch(() => {})
    return next
  })
  return reader
}

const shares = new WeakMap<pg.Pool, PoolShares>()

/** Takes a place of the person and the account among the connections of a pool. */
async function placeOf(pool: pg.Pool, signal: AbortSignal | undefined): Promise<() => void> {
  const beneficiary = beneficiaryOf(signal)
  if (!beneficiary) return () => {}
  const known = shares.get(pool) ?? createPoolShares(pool.options.max, connectMs)
  shares.set(pool, known)
  return known.take(beneficiary, signal)
}

/** Calls `onMore` once the connection has received more than `most` bytes. Returns the function that stops watching. */
function watchBytes(client: pg.PoolClient, most: number, onMore: () => void): () => void {
  // Missing from the types of pg.
  const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection
  const before = stream.bytesRead
  const unwatch = (): void => void stream.off('data', look)
  const look = (): void => {
    if (stream.bytesRead - before <= most) return
    unwatch()
    onMore()
  }
  stream.on('data', look)
  return unwatch
}

const cancelAgainMs = 10

/** Cancels the running statement of a connection, and those pending after it. */
async function cancelWhile(db: Db, client: pg.PoolClient, isAtWork: () => boolean): Promise<void> {
  while (isAtWork()) {
    // The cancellation must not wait for places that it is supposed to free.
    await passingOn(() => sql`SELECT pg_cancel_backend(${processOf(client)}::int)`.execute(db)).catch(() => {})
    await sleep(cancelAgainMs, undefined, { ref: false })
  }
}

function isRefusedStatement(error: unknown): error is Error {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
