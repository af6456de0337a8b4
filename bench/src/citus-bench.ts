import { type Ask, offersPath, openAsk, type Query } from './ask.ts'
import { columns } from './contact-file.ts'
import { loadContacts, waitFor } from './import-bench.ts'
import { type Client, type Portal, startPortal } from './portal.ts'
import type { Measurement } from './report.ts'
import { buildIndexes } from './search-data.ts'
import { median, quantile, timed } from './timing.ts'

/** Milliseconds of each round, on the cluster and on PostgreSQL alone. */
type Times = { citus: number[]; postgres: number[] }
type Sides = { citus: Portal; postgres: Portal }

const loads = 3
const exports = 5

/**
 * Measures the same work of two portals in turns: one on a Citus cluster, one on PostgreSQL alone.
 * @param urls of empty databases; that of the cluster leads to its coordinator
 */
export async function benchCitus(urls: { citus: string; postgres: string }, file: string): Promise<Measurement[]> {
  const sides: Sides = {
    citus: await startPortal({ DATABASE_URL: urls.citus }),
    postgres: await startPortal({ DATABASE_URL: urls.postgres }),
  }
  try {
    const measurements = [
      await inTurns('a new account', loads, sides, (portal) => timed(() => portal.enterNewAccount())),
      await inTurns('import: cast, dedup, PURL', loads, sides, (portal) => loadIntoNewAccount(portal, file)),
      await inTurns('export: all contacts', exports, sides, exportAll),
    ]
    for (const portal of [sides.citus, sides.postgres]) await buildIndexes(portal, ['Email', 'Score'])
    return [...measurements, ...(await measureSearches(sides))]
  } finally {
    await sides.citus.stop()
    await sides.postgres.stop()
  }
}

/** Measures one side, then the other, in each round, so that changes in the machine's speed affect both. */
async function inTurns(
  work: string,
  rounds: number,
  { citus, postgres }: Sides,
  measure: (portal: Portal) => Promise<number>,
): Promise<Measurement> {
  const times: Times = { citus: [], postgres: [] }
  for (let round = 0; round < rounds; round++) {
    times.citus.push(await measure(citus))
    times.postgres.push(await measure(postgres))
  }
  return measurementOf(work, times)
}

/** Returns the duration of the import alone, as the portal reports it. */
async function loadIntoNewAccount(portal: Portal, file: string): Promise<number> {
  await portal.enterNewAccount()
  return loadContacts(portal, file)
}

let lastExport = 0

async function exportAll(portal: Client): Promise<number> {
  const { _id } = await portal.post<{ _id: string }>('/contact-service/v1/exports', {
    name: `Benchmark ${++lastExport}`,
    delimiter: 'csv',
    exportFields: columns.map(([name]) => name),
  })
  return waitFor(portal, `/contact-service/v1/exports/${_id}`)
}

async function measureSearches(sides: Sides): Promise<Measurement[]> {
  const asks = { citus: openAsk(sides.citus), postgres: openAsk(sides.postgres) }
  try {
    const [known] = await asks.postgres.json<{ Email: string }[]>('/contact-service/v1/offers?skip=4321&limit=1')
    if (!known) throw new Error('there is no contact to look for')
    const measurements: Measurement[] = []
    for (const search of searchesFor(known.Email)) measurements.push(await measureSearch(asks, search))
    return measurements
  } finally {
    asks.citus.close()
    asks.postgres.close()
  }
}

type Search = { work: string; query: Query; rounds: number }

function searchesFor(email: string): Search[] {
  const page = (match: object): Query => ({ find: [{ $match: match }], limit: 25, withCount: 'yes' })
  const grouped = (id: unknown): Query => ({
    aggregate: [{ $group: { _id: id, contacts: { $sum: 1 }, score: { $avg: '$Score' } } }, { $sort: { contacts: -1 } }],
    limit: 1000,
  })
  return [
    { work: 'search: by email (indexed)', query: page({ Email: email }), rounds: 200 },
    {
      work: 'search: number in a range of 1 % (indexed)',
      query: page({ Score: { $gte: 50, $lt: 51 } }),
      rounds: 100,
    },
    { work: 'search: two numbers (no index)', query: page({ Age: { $gt: 80 }, Active: true }), rounds: 15 },
    { work: 'search: text contains (no index)', query: page({ Notes: { $regex: 'blue' } }), rounds: 15 },
    { work: 'group: one level', query: grouped('$City'), rounds: 15 },
    { work: 'group: two levels', query: grouped({ State: '$State', City: '$City' }), rounds: 15 },
  ]
}

async function measureSearch(
  { citus, postgres }: { citus: Ask; postgres: Ask },
  { work, query, rounds }: Search,
): Promise<Measurement> {
  const path = offersPath(query)
  const times: Times = { citus: [], postgres: [] }
  // Warm-up: the first requests run before the code is compiled.
  const found = [await citus.json<unknown>(path), await postgres.json<unknown>(path)].map(sizeOf)
  if (found[0] !== found[1]) throw new Error(`${work}: ${found.join(' and ')} found`)
  for (let round = 0; round < rounds; round++) {
    times.citus.push(await timed(() => citus.json(path)))
    times.postgres.push(await timed(() => postgres.json(path)))
  }
  return measurementOf(work, times)
}

/** The count of a search, the number of groups otherwise. */
function sizeOf(answer: unknown): number | null {
  return Array.isArray(answer) ? answer.length : ((answer as { count: number | null }).count ?? null)
}

function measurementOf(work: string, times: Times): Measurement {
  const ratios = times.citus.map((time, round) => time / (times.postgres[round] ?? NaN))
  return {
    work,
    milliseconds: median(times.citus),
    reference: { name: 'PostgreSQL', milliseconds: median(times.postgres) },
    noise: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  }
}
