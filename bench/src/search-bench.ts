import pg from 'pg'
import { type Ask, offersPath, openAsk, type Query } from './ask.ts'
import { type Duck, openDuck } from './duck.ts'
import type { Portal } from './portal.ts'
import type { Measurement } from './report.ts'
import type { SearchData } from './search-data.ts'
import { deepPage, type Search, searchesOf } from './searches.ts'
import { median, quantile, timed } from './timing.ts'

type Offer = { _id: string; basePurl: string; Email: string }
type Sides = { ask: Ask; client: pg.Client; duck: Duck }

/** Measures searches of the contacts screen, compared with hand-written SQL and with DuckDB. */
export async function benchSearch(portal: Portal, data: SearchData): Promise<Measurement[]> {
  const client = new pg.Client({ connectionString: portal.databaseUrl, options: '-c timezone=UTC' })
  await client.connect()
  const ask = openAsk(portal)
  const duck = await openDuck(portal.databaseUrl, [
    { name: data.contacts, indexes: [data.column('Email')] },
    { name: data.keys, indexes: ['base_purl'] },
    { name: data.events },
  ])
  try {
    const [known] = await ask.json<Offer[]>('/contact-service/v1/offers?skip=4321&limit=1')
    if (!known) throw new Error('there is no contact to look for')
    const sides = { ask, client, duck }
    const searches = searchesOf(data, { base: known.basePurl, email: known.Email })
    const measured = searches.map((search) => ({ search, times: { portal: [], sql: [], duck: [] } as Times }))
    for (const search of searches) await requireSame(sides, search)
    // In turns, so a slow minute of the machine does not affect a single search.
    for (let turn = 0; turn < turns; turn++) {
      for (const { search, times } of measured) await measureTurn(sides, search, times)
    }
    const measurements = measured.map(({ search, times }) => measurementOf(search, times))
    return [...measurements, ...(await measurePages(ask))]
  } finally {
    ask.close()
    await duck.close()
    await client.end()
  }
}

const turns = 5

/** Milliseconds of each round. */
type Times = { portal: number[]; sql: number[]; duck: number[] }

/** Measures all sides one after the other in each round, so changes in the machine's speed affect all. */
async function measureTurn(sides: Sides, { ask, sql, duck = sql, rounds }: Search, times: Times): Promise<void> {
  const inTurn = Math.ceil(rounds / turns)
  // Warm-up: the first requests run before the code is compiled.
  for (let round = 0; round < inTurn / 2; round++) await askAsScreen(sides.ask, ask)
  for (let round = 0; round < inTurn; round++) {
    times.portal.push(await timed(() => askAsScreen(sides.ask, ask)))
    times.sql.push(await timed(() => oneByOne(sql, (statement) => sides.client.query(statement))))
    if (round === 0) times.duck.push(await timed(() => oneByOne(duck, (statement) => sides.duck.query(statement))))
  }
}

function measurementOf({ work, target }: Search, times: Times): Measurement {
  const ratios = times.portal.map((time, round) => time / (times.sql[round] ?? NaN))
  return {
    work: `search: ${work}`,
    milliseconds: median(times.portal),
    reference: { name: 'SQL', milliseconds: median(times.sql) },
    noise: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    comparison: { name: 'DuckDB', milliseconds: median(times.duck) },
    ...(target && { target }),
  }
}

type Found = { rows: Record<string, unknown>[]; count: number | null }

/** Requests the page and, if it comes without the count, the count. */
async function askAsScreen(ask: Ask, query: Query): Promise<Found> {
  const reply = await ask.json<Found | Found['rows']>(offersPath(query))
  if (Array.isArray(reply)) return { rows: reply, count: null }
  if (reply.count !== null) return reply
  const { limit: _limit, withCount: _withCount, ...rest } = query
  return { ...reply, ...(await ask.json<{ count: number }>(offersPath({ ...rest, count: '' }))) }
}

/** Fails unless all sides find the same: count, number of rows, and first contact. */
async function requireSame(sides: Sides, { work, ask, sql, duck = sql }: Search): Promise<void> {
  const found = await askAsScreen(sides.ask, ask)
  const answers: { id?: string; count?: string }[][] = []
  for (const statement of sql) answers.push((await sides.client.query<{ id?: string; count?: string }>(statement)).rows)
  const ducks: unknown[][][] = []
  for (const statement of duck) ducks.push(await sides.duck.query(statement))
  const [first] = answers.at(-1) ?? []
  const sizes = [found.rows.length, answers.at(-1)?.length, ducks.at(-1)?.length]
  const counts = sql.length > 1 ? [found.count, Number(answers[0]?.[0]?.count), Number(ducks[0]?.[0]?.[0])] : []
  const isOther = first?.id !== undefined && first.id !== found.rows[0]?.['_id']
  if (new Set(sizes).size > 1 || new Set(counts).size > 1 || isOther || found.rows.length === 0) {
    throw new Error(`${work}: rows ${sizes.join()}, counts ${counts.join()} of the portal, SQL and DuckDB`)
  }
}

/** Measures the page after 100,000 contacts in two orders, by `after` and by `skip`. */
async function measurePages(ask: Ask): Promise<Measurement[]> {
  const { count } = await ask.json<{ count: number }>(offersPath({ count: '' }))
  const { size } = deepPage
  const rows = Math.min(deepPage.rows, Math.floor(count / 2))
  const shown = rows.toLocaleString('en-US')
  const measurements: Measurement[] = []
  for (const [order, sort] of [
    ['unsorted', undefined],
    ['sorted by an indexed number', { Score: 1 }],
  ] as const) {
    const page = (more: object) => offersPath({ ...(sort && { sort }), limit: size, ...more })
    const [last] = await ask.json<Offer[]>(page({ skip: rows - 1, limit: 1 }))
    const paths = { first: page({}), after: page({ after: last?._id }), skip: page({ skip: rows }) }
    const [byAfter, bySkip] = [await ask.json<Offer[]>(paths.after), await ask.json<Offer[]>(paths.skip)]
    if (byAfter.length !== size || byAfter[0]?._id !== bySkip[0]?._id) throw new Error(`${order}: pages do not fit`)
    const times: Record<keyof typeof paths, number[]> = { first: [], after: [], skip: [] }
    for (let round = 0; round < 20; round++) {
      times.first.push(await timed(() => ask.json(paths.first)))
      times.after.push(await timed(() => ask.json(paths.after)))
      times.skip.push(await timed(() => ask.json(paths.skip)))
    }
    const reference = { name: 'first page', milliseconds: median(times.first) }
    measurements.push(
      { work: `page after ${shown}, ${order}: after`, milliseconds: median(times.after), reference },
      { work: `page after ${shown}, ${order}: skip`, milliseconds: median(times.skip), reference },
    )
  }
  return measurements
}

async function oneByOne<T>(list: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of list) await work(item)
}
