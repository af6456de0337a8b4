import type { PageEvent } from './event.ts'

/** Limits of one batch. Browsers accept 64 KiB of requests that outlive their page, so two batches fit. */
export const batchLimits = { events: 100, bytes: 32_000 }
/** Maximum number of waiting events; the oldest are dropped. */
export const waitingLimit = 500

/** Events waiting to be sent, in memory only. */
export type EventQueue = {
  add: (event: PageEvent) => void
  /** Removes and returns the next batch; empty if nothing waits. */
  take: () => PageEvent[]
  /** Returns a batch that was not sent. */
  putBack: (batch: PageEvent[]) => void
  /** Handles a batch that the portal refuses: retries in smaller ones until the invalid event is found and dropped. */
  refuse: (batch: PageEvent[]) => void
  clear: () => void
}

/** Returns an empty queue. */
export function createQueue(): EventQueue {
  let waiting: PageEvent[] = []
  let batchSize = batchLimits.events

  const putBack = (batch: PageEvent[]): void => {
    waiting = [...batch, ...waiting].slice(-waitingLimit)
  }
  return {
    add: (event) => {
      waiting = [...waiting, event].slice(-waitingLimit)
    },
    take: () => {
      let count = 0
      let bytes = 0
      for (const event of waiting) {
        bytes += new Blob([JSON.stringify(event)]).size + 1
        if (count > 0 && (count >= batchSize || bytes > batchLimits.bytes)) break
        count++
      }
      return waiting.splice(0, count)
    },
    putBack,
    refuse: (batch) => {
      const isWrong = batch.length === 1
      batchSize = isWrong ? batchLimits.events : batch.length >> 1
      if (!isWrong) putBack(batch)
    },
    clear: () => {
      waiting = []
    },
  }
}
