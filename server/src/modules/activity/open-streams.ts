import type { Caller } from '#platform/http/context.ts'
import { limitedNetwork } from '#platform/limited-network.ts'

/** An office has many tabs open, but only visible ones follow changes. */
export type StreamLimits = { ofSession: number; ofPerson: number; ofNetwork: number }

export const streamLimits: StreamLimits = { ofSession: 30, ofPerson: 60, ofNetwork: 500 }

type Open = { sessionId: string; personId: string; network: string; end: () => void }

/** The streams that this process is sending. */
export type OpenStreams = {
  /**
   * Counts a stream until the returned function is called. If the session, the person or the network has more than the
   * limit, ends its oldest one: a page left open gives way to the one in view.
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
