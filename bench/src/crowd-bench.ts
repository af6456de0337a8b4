import { type Ask, offersPath, openAsk, type Query } from './ask.ts'
import type { Portal } from './portal.ts'
import type { Measurement } from './report.ts'
import { median, quantile, timed } from './timing.ts'

const people = 10
const secondsInAll = 60
const slices = 6

/** The queries of a crowd, with different values each time, which makes caches useless. */
const kinds: Record<string, (random: () => number) => Query> = {
  'indexed count': (random) => ({ find: range(random), count: '' }),
  'indexed page': (random) => ({ find: range(random), limit: 25 }),
  'page far behind': (random) => ({ skip: Math.floor(random() * 20_000), limit: 25 }),
  'count without an index': (random) => ({ find: [{ $match: { Age: { $gt: 60 + random() * 25 } } }], count: '' }),
  contains: (random) => ({
    find: [{ $match: { Email: { $regex: `\\.${Math.floor(random() * 9999)}`, $options: 'i' } } }],
  }),
  'group by': () => ({ aggregate: [{ $group: { _id: '$City', contacts: { $sum: 1 }, score: { $avg: '$Score' } } }] }),
  behaviour: (random) => ({
    find: [{ $match: { events: { $elemMatch: { event_code: 'purchase', event_date: { $gte: day(random) } } } } }],
    count: '',
  }),
  location: (random) => ({
    find: [
      { $match: { location: { $geoWithin: { $centerSphere: [[random() * 200 - 100, random() * 80 - 40], 0.02] } } } },
    ],
  }),
  'full text': (random) => ({ find: [{ $match: { $text: { $search: words[Math.floor(random() * words.length)] } } }] }),
}

const words = ['fischkopf', 'lindberg', 'rosstein', 'waldhof', 'springfield kron', 'voskind']
const range = (random: () => number) => {
  const from = Math.floor(random() * 99)
  return [{ $match: { Score: { $gte: from, $lt: from + 0.1 } } }]
}
const day = (random: () => number) => `2025-12-${String(10 + Math.floor(random() * 20))}T00:00:00Z`

/** Ten people search concurrently for a minute, each without pauses. An error ends the bench. */
export async function benchCrowd(portal: Portal): Promise<Measurement[]> {
  const asks: Ask[] = []
  for (let person = 0; person < people; person++)
    asks.push(openAsk({ port: portal.port, token: await portal.signInAgain() }))
  const times = new Map<string, number[]>(Object.keys(kinds).map((kind) => [kind, []]))
  const end = performance.now() + secondsInAll * 1000
  const memory = watchSlices(portal)
  const search = async (ask: Ask, person: number) => {
    const random = randomNumbers(person)
    const names = Object.keys(kinds)
    for (let turn = person; performance.now() < end; turn++) {
      const kind = names[turn % names.length] ?? ''
      const path = offersPath(kinds[kind]?.(random) ?? {})
      times.get(kind)?.push(await timed(() => ask.json(path)))
    }
  }
  await Promise.all(asks.map(search))
  for (const ask of asks) ask.close()
  const peaks = memory.stop()
  const all = [...times.values()].flat()
  console.log(
    `Memory in each ${secondsInAll / slices} s: ${peaks.map((peak) => Math.round(peak / 2 ** 20)).join(', ')} MB.`,
  )
  console.log(`${people} people, ${secondsInAll} s: ${all.length} searches, no error.`)
  const line = (kind: string, list: number[]): Measurement => ({
    work: `ten people: ${kind}, 95 of 100 within`,
    milliseconds: quantile(list, 0.95),
    comparison: { name: 'median', milliseconds: median(list) },
  })
  return [{ ...line('all', all), peakBytes: Math.max(...peaks) }, ...[...times].map(([kind, list]) => line(kind, list))]
}

/** Records the peak memory in each time slice, in bytes. */
function watchSlices(portal: Portal): { stop: () => number[] } {
  const peaks: number[] = []
  const next = () => {
    peaks.push(portal.memory.peakBytes())
    portal.memory.reset()
  }
  portal.memory.reset()
  const timer = setInterval(next, (secondsInAll * 1000) / slices)
  return {
    stop() {
      clearInterval(timer)
      return peaks
    },
  }
}

/** Random numbers from 0 to 1, the same for each person in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed + 1
  return () => {
    // Park and Miller's generator.
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
