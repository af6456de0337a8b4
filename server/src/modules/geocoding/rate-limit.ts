// Whoever asked so many persons ago has not asked for long.
const personsRemembered = 10_000

/**
 * Lets each person ask so often within so many milliseconds; answers whether this once is within that. Counted in this
 * process: with several web processes the limit is that of each.
 */
export function createRateLimit({ requests, perMs }: { requests: number; perMs: number }, now = () => Date.now()) {
  const counts = new Map<string, { since: number; count: number }>()
  return (personId: string): boolean => {
    const time = now()
    const known = counts.get(personId)
    const current = known && time - known.since < perMs ? known : { since: time, count: 0 }
    current.count++
    // Set anew, so that the map's order is that in which people last asked.
    counts.delete(personId)
    counts.set(personId, current)
    const [longestSilent] = counts.keys()
    if (counts.size > personsRemembered && longestSilent !== undefined) counts.delete(longestSilent)
    return current.count <= requests
  }
}
