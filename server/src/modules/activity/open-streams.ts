import type { Caller } from '#platform/http/context.ts'
import { limitedNetwork } from '#platform/limited-network.ts'

/** An office has many tabs open, of which only those that are looked at follow changes. */
export type StreamLimits = { ofSession: number; ofPerson: number; ofNetwork: number }

export const streamLimits: StreamLimits = { ofSession: 30, ofPerson: 60, ofNetwork: 500 }

type Open = { sessionId: string; personId: string; network: string; end: () => void }

/** The streams that this process sends. */
export type OpenStreams = {
  /**
   * Counts one until the returned function is called. Ends the oldest of the session, the person or the network where they have more
   * than the limit: a page that was left open gives way to the one that is looked at.
   */
  begin: (caller: Pick<Caller, 'sessionId' | 'personId'>, address: string, end: () => void) => () => void
}

export function openStreams({ ofSession, ofPerson, ofNetwork }: StreamLimits = streamLimits): OpenStreams {
  // In the order in which they were opened.
  const open = new Set<Open>()
  function endOldest(streams: readonly Open[], most: number): void {
    for (const stream of streams.slice(0, Math.max(0, streams.length - most))) {
      open.delete(stream)
      stream.end()
    }
  }
  return {
    begin({ sessionId, personId }, address, end) {
      const network = limitedNetwork(address)
      const stream = { sessionId, personId, network, end }
      open.add(stream)
      endOldest(
        [...open].filter((other) => other.sessionId === sessionId),
        ofSession,
      )
      endOldest(
        [...open].filter((other) => other.personId === personId),
        ofPerson,
      )
      endOldest(
        [...open].filter((other) => other.network === network),
        ofNetwork,
      )
      return () => void open.delete(stream)
    },
  }
}
