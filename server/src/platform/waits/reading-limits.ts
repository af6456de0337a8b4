import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type pg from 'pg'
import { AppError } from '../app-error.ts'
import { mostReplyBytes, replyTooLarge } from './reply-limit.ts'
import { type Beneficiary, beneficiaryOf, createPoolShares, type PoolShares } from './shares.ts'

// Rows that a call reads are held in memory until its reply is sent, even if they are few. So their bytes are counted
// where they arrive, at the connections, for all calls alike: no query can bypass this.

/** The reading for one call, from its first statement until its reply is sent. */
export type CallReading = {
  /** Runs the work of the call. @throws timed_out, too_many_requests, unavailable if it reads or waits too much */
  run: <T>(work: () => Promise<T>) => Promise<T>
  /** Call it when the reply is sent: frees the memory that was read for it. */
  end: () => void
}

type Reading = {
  signal: AbortSignal
  bytes: number
  /** Connections that are in use for the call. */
  connections: number
  /** Its place in the shares of the person and the account, while it uses connections. */
  place: Promise<() => void> | null
  refusal: AppError | null
  isOver: boolean
}

const readings = new AsyncLocalStorage<Reading | null>()

/** Bytes held for the calls of each person. */
const held = new Map<string, number>()
const mostHeldBytes = 2 * mostReplyBytes

/** Begins counting the bytes that are read for a call. */
export function beginReading(signal: AbortSignal): CallReading {
  const reading: Reading = { signal, bytes: 0, connections: 0, place: null, refusal: null, isOver: false }
  return {
    async run(work) {
      let failure: unknown
      try {
        const result = await readings.run(reading, work)
        if (reading.refusal === null) return result
      } catch (error) {
        failure = error
      }
      throw reading.refusal ?? failure
    },
    end() {
      if (reading.isOver) return
      reading.isOver = true
      hold(reading, -reading.bytes)
    },
  }
}

/** Returns the person that the work under way is for; undefined for jobs and calls without a sign-in. */
export function beneficiaryNow(): Beneficiary | undefined {
  return beneficiaryOf(readings.getStore()?.signal)
}

/** Runs work that passes its rows on as they arrive, such as writing a file. They are not counted. */
export function passingOn<T>(work: () => Promise<T>): Promise<T> {
  return readings.run(null, work)
}

/** Runs work whose rows count until it ends, which frees them. The call must not read anything else in the meantime. */
export async function freeing<T>(work: () => Promise<T>): Promise<T> {
  const reading = readings.getStore()
  if (!reading) return work()
  const before = reading.bytes
  try {
    return await work()
  } finally {
    const freed = reading.bytes - before
    if (!reading.isOver && freed > 0) {
      reading.bytes = before
      hold(reading, -freed)
    }
  }
}

function hold({ signal }: Reading, bytes: number): number {
  const person = beneficiaryOf(signal)?.person
  if (person === undefined) return 0
  const sum = (held.get(person) ?? 0) + bytes
  if (sum > 0) held.set(person, sum)
  else held.delete(person)
  return sum
}

/**
 * Counts the bytes that calls read through the connections of a pool. `most`: bytes for one call. `waitMs`: each person
 * and each account has a share of the connections, for which their other calls wait this long.
 */
export function limitReading(pool: pg.Pool, { most, waitMs }: { most: number; waitMs?: number }): void {
  const shares = waitMs === undefined ? null : createPoolShares(pool.options.max, waitMs)
  const ends = new WeakMap<pg.PoolClient, () => void>()
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<pg.PoolClient>

  async function connectFor(reading: Reading): Promise<pg.PoolClient> {
    if (reading.refusal) throw reading.refusal
    const leave = await enter(reading, shares)
    try {
      const client = await connect()
      const unwatch = watch(client, reading, most)
      ends.set(client, () => {
        ends.delete(client)
        unwatch()
        leave()
      })
      return client
    } catch (error) {
      leave()
      throw error
    }
  }
  pool.on('release', (_error: Error, client: pg.PoolClient) => ends.get(client)?.())

  const limited = (callback?: Callback): Promise<pg.PoolClient> | void => {
    const reading = readings.getStore()
    if (!reading || reading.isOver) return connect(callback)
    if (!callback) return connectFor(reading)
    void handTo(callback, connectFor(reading))
  }
  pool.connect = limited as typeof pool.connect
}

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void

async function handTo(callback: Callback, connected: Promise<pg.PoolClient>): Promise<void> {
  let client: pg.PoolClient
  try {
    client = await connected
  } catch (error) {
    return callback(error as Error, undefined, () => {})
  }
  callback(undefined, client, (error) => client.release(error))
}

/** Waits for a place, unless the call has one already for all its connections. Returns the function that frees it. */
async function enter(reading: Reading, shares: PoolShares | null): Promise<() => void> {
  const beneficiary = shares && beneficiaryOf(reading.signal)
  if (!shares || !beneficiary) return () => {}
  reading.connections++
  const place = (reading.place ??= shares.take(beneficiary, reading.signal))
  let isOver = false
  const leave = (): void => {
    if (isOver) return
    isOver = true
    reading.connections--
    if (reading.connections > 0) return
    reading.place = null
    void place.then(
      (free) => free(),
      () => {},
    )
  }
  try {
    await place
  } catch (error) {
    leave()
    throw error
  }
  return leave
}

/** Counts the bytes that a connection receives, and closes it after too many, since further ones would be held too. */
function watch(client: pg.PoolClient, reading: Reading, most: number): () => void {
  // Missing from the types of pg.
  const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection
  let seen = stream.bytesRead
  const look = (): void => {
    const more = stream.bytesRead - seen
    seen += more
    if (reading.isOver) return
    reading.bytes += more
    const sum = hold(reading, more)
    if (reading.bytes > most) reading.refusal ??= replyTooLarge()
    else if (sum > mostHeldBytes) reading.refusal ??= tooMuchAtOnce()
    if (reading.refusal) stream.destroy(reading.refusal)
  }
  stream.on('data', look)
  return () => void stream.off('data', look)
}

const tooMuchAtOnce = (): AppError =>
  new AppError(
    'too_many_requests',
    undefined,
    'Your requests read too much at the same time. Send them one after the other.',
  )
