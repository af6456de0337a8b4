import type { Offer } from '@portico/contract/contacts'
import { type QueryContext, countRows, userQuery } from '#filters'
import type { Db } from '#platform/database.ts'
import { beneficiaryOf, markFor } from '#platform/waits/shares.ts'
import type { ContactSearch, Matching } from './compile-search.ts'
import { readPage } from './contact-page.service.ts'
import type { ContactRow } from './contact-rows.queries.ts'
import { toOffers } from './offers.ts'

/** A page of contacts, and the total number of matches; null where counting takes too long. */
export type CountedOffers = { rows: Offer[]; count: number | null }

// Users do not notice 20 ms, and longer queries are worth a second connection. After a second they expect to see
// something.
const minWaitMs = 20
const maxWaitMs = 1000

/** A page with its count, unless counting takes more than three times as long as the page (ADR 0049). */
export async function readPageAndCount(context: QueryContext, search: ContactSearch): Promise<CountedOffers> {
  const began = performance.now()
  const { page, counting: sequential } = readInSequence(context, search)
  let parallel: Counting | undefined
  const timer = setTimeout(() => (parallel = countInParallel(context, search.matching)), minWaitMs)
  let count: number | null = null
  try {
    const rows = toOffers(search.fields, await page)
    clearTimeout(timer)
    const { limit, skip } = search.page
    const isLastPage = rows.length < limit && (rows.length > 0 || skip === 0)
    if (isLastPage) return { rows, count: skip + rows.length }
    if (parallel) sequential.stop()
    const waitMs = Math.max(minWaitMs, Math.min(maxWaitMs, 2 * (performance.now() - began)))
    count = await within(waitMs, (parallel ?? sequential).count)
    return { rows, count }
  } finally {
    clearTimeout(timer)
    if (count === null) for (const counting of [sequential, parallel]) if (counting) stopSoon(counting)
  }
}

/** A count in progress: null if it fails. The client then requests the count alone, and gets the error. */
type Counting = { count: Promise<number | null>; stop: () => void }

/** Sends both statements at once on one connection, where counting starts after the page. */
function readInSequence(
  context: QueryContext,
  search: ContactSearch,
): { page: Promise<ContactRow[]>; counting: Counting } {
  const page = Promise.withResolvers<ContactRow[]>()
  const count = Promise.withResolvers<number | null>()
  let stop = (): void => {}
  const read = async (reader: Db, cancel: () => void): Promise<void> => {
    stop = cancel
    const rows = readPage(reader, search)
    count.resolve(countMatching(reader, search.matching).catch(() => null))
    try {
      page.resolve(await rows)
    } catch (error) {
      cancel()
      throw error
    } finally {
      await count.promise
    }
  }
  userQuery(context, read).catch((error: unknown) => {
    page.reject(error)
    count.resolve(null)
  })
  return { page: page.promise, counting: { count: count.promise, stop: () => stop() } }
}

/** Counts on a second connection until it is stopped, even after the client has disconnected. */
function countInParallel({ db, signal }: QueryContext, matching: Matching): Counting {
  const stopping = new AbortController()
  const beneficiary = beneficiaryOf(signal)
  if (beneficiary) markFor(stopping.signal, beneficiary)
  const counted = userQuery({ db, signal: stopping.signal }, (reader) => countMatching(reader, matching))
  return { count: counted.catch(() => null), stop: () => stopping.abort() }
}

/** The number of contacts that match. */
export async function countMatching(reader: Db, { account, from, where }: Matching): Promise<number> {
  return countRows(reader, account, from, where)
}

/** Stops a count with a short delay: cancelling one that is nearly done costs more than letting it finish. */
function stopSoon({ count, stop }: Counting): void {
  const timer = setTimeout(stop, minWaitMs).unref()
  void count.then(() => clearTimeout(timer))
}

/** The value of a promise, or null if that takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, milliseconds, null)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
