import type { Calls } from './delivery.ts'
import type { Visitor } from './elements.ts'
import { now } from './event.ts'

/** Notifies the page with an event on the document. */
export function announce(name: 'visitor' | 'sent', detail: unknown): void {
  document.dispatchEvent(new CustomEvent(`portico:${name}`, { detail }))
}

/**
 * Returns the calls about one visitor. `onVisitor` gets the visitor's columns; null if the portal does not know the
 * visitor, or did not respond.
 */
export function makeCalls(urlOf: (call: string) => string, onVisitor: (visitor: Visitor | null) => void): Calls {
  return {
    read: async () => {
      let visitor: Visitor | null = null
      try {
        const reply = await fetch(urlOf('offers'), { credentials: 'omit' })
        if (reply.ok) visitor = (await reply.json()) as Visitor
        return reply.status
      } finally {
        onVisitor(visitor)
      }
    },
    send: async (events, isLeaving) => {
      const body = JSON.stringify({ sentAt: now(), events })
      const url = urlOf('events')
      const isBeacon = isLeaving && !('keepalive' in Request.prototype)
      const status = isBeacon
        ? Number(navigator.sendBeacon(url, body)) * 202
        : // Text needs no preflight, which would not outlive the page.
          (await fetch(url, { method: 'POST', body, keepalive: true, credentials: 'omit' })).status
      if (status === 202) announce('sent', events)
      return status
    },
  }
}
