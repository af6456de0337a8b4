import { type Ask, offersPath, openAsk, type Query } from './ask.ts'
import { columns } from './contact-file.ts'
import { waitFor } from './import-bench.ts'
import type { Client } from './portal.ts'
import type { Measurement } from './report.ts'
import { median, quantile, timed } from './timing.ts'

/** The same work on two sides. `measured` is compared with `reference`, which is called `referenceName`. */
export type Sides<Side> = { measured: Side; reference: Side; referenceName: string }

/** Milliseconds of each round. */
type Times = { measured: number[]; reference: number[] }

/** Measures one side, then the other, in each round, so changes in the machine's speed affect both. */
export async function inTurns<Side>(
  work: string,
  rounds: number,
  { measured, reference, referenceName }: Sides<Side>,
  measure: (side: Side) => Promise<number>,
): Promise<Measurement> {
  const times: Times = { measured: [], reference: [] }
  for (let round = 0; round < rounds; round++) {
    times.measured.push(await measure(measured))
    times.reference.push(await measure(reference))
  }
  return measurementOf(work, referenceName, times)
}

let lastExport = 0

/** Exports all contacts with all fields. Returns the duration in milliseconds, as the portal reports it. */
export async function exportAll(portal: Client): Promise<number> {
  const { _id } = await portal.post<{ _id: string }>('/contact-service/v1/exports', {
    name: `Benchmark ${++lastExport}`,
    delimiter: 'csv',
    exportFields: columns.map(([name]) => name),
  })
  return waitFor(portal, `/contact-service/v1/exports/${_id}`)
}

/**
 * Measures searches and groups, with indexes on Email and Score. `rounds`: factor of the usual number of rounds.
 * @throws if `isSame`, and a search finds different numbers on both sides
 */
export async function measureSearches(
  sides: Sides<Client>,
  { isSame, rounds }: { isSame: boolean; rounds: number },
): Promise<Measurement[]> {
  const asks = { ...sides, measured: openAsk(sides.measured), reference: openAsk(sides.reference) }
  try {
    const [known] = await asks.reference.json<{ Email: string }[]>('/contact-service/v1/offers?skip=4321&limit=1')
    if (!known) throw new Error('there is no contact to look for')
    const measurements: Measurement[] = []
    for (const search of searchesFor(known.Email)) {
      const path = offersPath(search.query)
      // Warm-up: the first requests run before the code is compiled.
      const found = [await asks.measured.json<unknown>(path), await asks.reference.json<unknown>(path)].map(sizeOf)
      if (found.includes(0) || (isSame && found[0] !== found[1])) {
        throw new Error(`${search.work}: ${found.join(' and ')} found`)
      }
      measurements.push(
        await inTurns(search.work, Math.ceil(search.rounds * rounds), asks, (ask: Ask) => timed(() => ask.json(path))),
      )
    }
    return measurements
  } finally {
    asks.measured.close()
    asks.reference.close()
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
    { work: 'search: text contains (no index)', query: page({ 'Last Name': { $regex: 'kopf' } }), rounds: 15 },
    { work: 'group: one level', query: grouped('$City'), rounds: 15 },
    { work: 'group: two levels', query: grouped({ State: '$State', City: '$City' }), rounds: 15 },
  ]
}

/** Returns the count of a search, or the number of groups. Null if the reply does not wait for the count. */
function sizeOf(answer: unknown): number | null {
  return Array.isArray(answer) ? answer.length : ((answer as { count: number | null }).count ?? null)
}

function measurementOf(work: string, referenceName: string, times: Times): Measurement {
  const ratios = times.measured.map((time, round) => time / (times.reference[round] ?? NaN))
  return {
    work,
    milliseconds: median(times.measured),
    reference: { name: referenceName, milliseconds: median(times.reference) },
    noise: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  }
}
