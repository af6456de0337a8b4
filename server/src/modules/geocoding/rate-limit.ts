// The least recently active are evicted first.
const maxPersons = 10_000

/**
 * Limits the number of requests of each person within a time window. Returns whether a request is allowed. Counted per
 * process.
 */
export function createRateLimit({ requests, perMs }: { requests: number; perMs: number }, now = () => Date.now()) {
  const counts = new Map<string, { since: number; count: number }>()
  return (personId: string): boolean => {
    const time = now()
    const known = counts.get(personId)
    const current = known && time - known.since < perMs ? known : { since: time, count: 0 }
    current.count++
    // Deleted first, so that the map stays in the order of the last requests.
    counts.delete(personId)
    counts.set(personId, current)
    const [longestSilent] = counts.keys()
    if (counts.size > maxPersons && longestSilent !== undefined) counts.delete(longestSilent)
    return current.count <= requests
  }
}
