import { BoundedMap } from '#platform/memory/bounded-map.ts'
// The least recently active are evicted first.
const maxPersons = 10_000

/**
 * Limits the number of requests of each person within a time window. The returned function says whether a request is
 * allowed. Counted per process.
 */
export function createRateLimit({ requests, perMs }: { requests: number; perMs: number }, now = () => Date.now()) {
  const counts = new BoundedMap<string, { since: number; count: number }>(maxPersons)
  return (personId: string): boolean => {
    const time = now()
    const known = counts.get(personId)
    const current = known && time - known.since < perMs ? known : { since: time, count: 0 }
    current.count++
    counts.set(personId, current)
    return current.count <= requests
  }
}
