import type { Offer } from '@portico/contract/contacts'
import type { OffersQuery } from '@portico/contract/list-query'
import { type Asker, countRows, userQuery } from '#filters'
import type { Db } from '#platform/database.ts'
import { type CompiledSearch, compileSearch, readPage, type Search } from './find.service.ts'

/** How many there are in all is null where that takes too long. */
export type CountedOffers = { rows: Offer[]; count: number | null }

// Nobody notices such a moment, and what takes longer is worth a second connection; after a second, people want to see
// something.
const leastPatienceMs = 20
const mostPatienceMs = 1000

/** A page and how many there are in all, unless counting takes more than three times as long as the page (ADR 0049). */
export async function findAndCount(asker: Asker, search: Search, query: OffersQuery): Promise<CountedOffers> {
  const began = performance.now()
  const compiled = compileSearch(search)
  const { page, counting: behind } = askInTurn(asker, search, compiled, query)
  let beside: Counting | undefined
  const timer = setTimeout(() => (beside = countBeside(asker, search, compiled)), leastPatienceMs)
  let count: number | null = null
  try {
    const rows = await page
    clearTimeout(timer)
    const isLastPage = rows.length < query.limit && (rows.length > 0 || query.skip === 0)
    if (isLastPage) return { rows, count: query.skip + rows.length }
    if (beside) behind.stop()
    const patience = Math.max(leastPatienceMs, Math.min(mostPatienceMs, 2 * (performance.now() - began)))
    count = await within(patience, (beside ?? behind).count)
    return { rows, count }
  } finally {
    clearTimeout(timer)
    if (count === null) for (const counting of [behind, beside]) if (counting) letGo(counting)
  }
}

/** How many there are in all, or null where that cannot be told; then it is asked for by itself, and told why. */
type Counting = { count: Promise<number | null>; stop: () => void }

/** Asks for both at once, on one connection, where counting begins when the page is done. */
function askInTurn(
  asker: Asker,
  search: Search,
  compiled: CompiledSearch,
  query: OffersQuery,
): { page: Promise<Offer[]>; counting: Counting } {
  const page = Promise.withResolvers<Offer[]>()
  const count = Promise.withResolvers<number | null>()
  let stop = (): void => {}
  const ask = async (reader: Db, cancel: () => void): Promise<void> => {
    stop = cancel
    const rows = readPage(reader, search, compiled, query)
    count.resolve(countRows(reader, search.account, compiled.from, compiled.where).catch(() => null))
    try {
      page.resolve(await rows)
    } catch (error) {
      cancel()
      throw error
    } finally {
      await count.promise
    }
  }
  userQuery(asker, ask).catch((error: unknown) => {
    page.reject(error)
    count.resolve(null)
  })
  return { page: page.promise, counting: { count: count.promise, stop: () => stop() } }
}

/** Counts on a connection of its own, until it is stopped, whoever goes away meanwhile. */
function countBeside({ db }: Asker, { account }: Search, { from, where }: CompiledSearch): Counting {
  const stopping = new AbortController()
  const counted = userQuery({ db, signal: stopping.signal }, (reader) => countRows(reader, account, from, where))
  return { count: counted.catch(() => null), stop: () => stopping.abort() }
}

/** Stops it in a while: to cancel what is as good as done costs more than to let it end. */
function letGo({ count, stop }: Counting): void {
  const timer = setTimeout(stop, leastPatienceMs).unref()
  void count.then(() => clearTimeout(timer))
}

/** What a promise gives, or null when it takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, milliseconds, null)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
