import { createTimer } from './call-timer.ts'
import { createQueue } from './event-queue.ts'
import type { PageEvent } from './event.ts'

/** Calls of the portal, which resolve to the HTTP status. Both reject if there is no response. */
export type Calls = {
  /** Reads the visitor's columns. */
  read: () => Promise<number>
  /** Sends events. `isLeaving`: the page may be gone before the response. */
  send: (events: PageEvent[], isLeaving: boolean) => Promise<number>
}

/** Reads the visitor, then sends events in batches; repeats failed calls. */
export type Delivery = {
  add: (event: PageEvent) => void
  /** Continues at once, such as when the browser is back online. */
  resume: () => void
  /** Sends everything before the page may end. */
  flush: () => void
  /** Forgets all events and makes no further call. */
  stop: () => void
}

/** Starts a delivery with its first call. */
export function startDelivery({ read, send }: Calls): Delivery {
  const queue = createQueue()
  const timer = createTimer(resume)
  let isKnown = false
  let isBusy = false
  let isStopped = false

  const stop = (): void => {
    isStopped = true
    queue.clear()
    timer.cancel()
  }

  /** Handles the response to one call. Returns whether the next one may follow at once. */
  const settle = async (answer: Promise<number>, batch: PageEvent[]): Promise<boolean> => {
    const status = await answer.catch(() => 0)
    if (isStopped) return false
    if (status < 200 || status >= 500 || status === 429) {
      queue.putBack(batch)
      timer.retry()
      return false
    }
    if (status < 300) timer.reset()
    // The portal does not know the visitor. Without a batch, the call was the one about the visitor.
    else if (status === 404 || !batch[0]) stop()
    else queue.refuse(batch)
    return true
  }

  function resume(): void {
    timer.cancel()
    if (isBusy || isStopped || !navigator.onLine) return
    const batch = isKnown ? queue.take() : []
    if (isKnown && !batch[0]) return
    isBusy = true
    void settle(isKnown ? send(batch, false) : read(), batch).then((mayContinue) => {
      isBusy = false
      isKnown ||= mayContinue
      if (mayContinue) resume()
    })
  }

  resume()
  return {
    add: (event) => {
      if (isStopped) return
      queue.add(event)
      timer.collect()
    },
    resume,
    flush: () => {
      if (!navigator.onLine) return
      for (let batch = queue.take(); batch[0]; batch = queue.take()) {
        void settle(send(batch, true), batch).then((mayContinue) => {
          if (mayContinue) resume()
        })
      }
    },
    stop,
  }
}
