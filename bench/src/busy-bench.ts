import { type Ask, offersPath, openAsk, type Query } from './ask.ts'
import { loadContacts, startImport, waitFor } from './import-bench.ts'
import type { Portal } from './portal.ts'
import type { Measurement } from './report.ts'
import { buildIndexes } from './search-data.ts'
import { median, quantile, timed } from './timing.ts'

const settleMs = 3000
const quietMs = 10_000
const breathMs = 10

const searches: Record<string, Query> = {
  'an indexed page': { find: [{ $match: { Score: { $gte: 50, $lt: 50.1 } } }], limit: 25 },
  'first page of all': { limit: 25 },
  'count without an index': { find: [{ $match: { Age: { $gt: 80 } } }], count: '' },
  'group by': { aggregate: [{ $group: { _id: '$City', contacts: { $sum: 1 } } }] },
}
const indexedFields = ['Last Name', 'Company', 'Phone', 'Customer No', 'Lifetime Value', 'Last Seen']

/**
 * Measures searches of one account, first alone, then while a second account builds indexes and a third one imports the
 * file. `portal` is in the account that is searched.
 */
export async function benchBusy(portal: Portal, file: string): Promise<Measurement[]> {
  const [indexer, importer] = [await portal.anotherClient(), await portal.anotherClient()]
  await loadContacts(indexer, file)
  const ask = openAsk(portal)
  // Waits for deferred work after loading, such as autovacuum.
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const quiet = await searchUntil(ask, new Promise((resolve) => setTimeout(resolve, quietMs)))
  const imported = startImport(importer, file).then((path) => waitFor(importer, path))
  const indexed = timed(() => buildIndexes(indexer, indexedFields))
  // Only while both run.
  const busy = await searchUntil(ask, Promise.race([imported, indexed]))
  const [importMs, indexMs] = await Promise.all([imported, indexed])
  console.log(`Meanwhile: an import in ${(importMs / 1000).toFixed(1)} s, indexes in ${(indexMs / 1000).toFixed(1)} s.`)
  ask.close()
  return Object.keys(searches).map((name): Measurement => {
    const [before, meanwhile] = [quiet.get(name) ?? [], busy.get(name) ?? []]
    return {
      work: `during an import and an index build: ${name}`,
      milliseconds: median(meanwhile),
      reference: { name: 'quiet', milliseconds: median(before) },
      noise: [quantile(meanwhile, 0.25) / median(before), quantile(meanwhile, 0.75) / median(before)],
      target: { ratio: 2 },
    }
  })
}

/** Runs searches of all kinds in turn, with short pauses, until `end` is settled. Returns their times in ms. */
async function searchUntil(ask: Ask, end: Promise<unknown>): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>(Object.keys(searches).map((name) => [name, []]))
  let isOver = false
  const over = end.finally(() => (isOver = true))
  while (!isOver) {
    for (const [name, query] of Object.entries(searches)) {
      times.get(name)?.push(await timed(() => ask.json(offersPath(query))))
      await new Promise((resolve) => setTimeout(resolve, breathMs))
    }
  }
  await over
  return times
}
