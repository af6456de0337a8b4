import type { PageEvent } from './event.ts'

/** Of one batch. Browsers accept 64 KiB of requests that outlive their page, so two batches fit. */
export const batchLimits = { events: 100, bytes: 32_000 }
/** Events that wait; the oldest are dropped. */
export const waitingLimit = 500
/** Pause in which events are collected, and the first pause after a failure; each further failure doubles it. */
export const pauseMs = 1000

/** Calls of the portal, which resolve to the HTTP status. Both reject if there is no answer. */
export type Calls = {
  /** Reads the visitor's columns. */
  read: () => Promise<number>
  /** Sends events. `isLeaving`: the page may be gone before the answer. */
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
  let waiting: PageEvent[] = []
  let isKnown = false
  let isBusy = false
  let isStopped = false
  let timer = 0
  let retryMs = pauseMs
  let batchSize = batchLimits.events

  const schedule = (ms: number): void => {
    clearTimeout(timer)
    if (!isStopped) timer = window.setTimeout(resume, ms)
  }
  const stop = (): void => {
    isStopped = true
    waiting = []
    clearTimeout(timer)
  }
  const keep = (events: PageEvent[]): void => {
    waiting = [...events, ...waiting].slice(-waitingLimit)
  }

  /** Settles one call. Returns whether the next one may follow at once. */
  const settle = (status: number, batch: PageEvent[]): boolean => {
    if (isStopped) return false
    const isDone = status >= 200 && status < 300
    if (!isDone && !isRefusal(status)) {
      keep(batch)
      // Spread, so that the pages of a site do not return all at once.
      schedule(retryMs * (1 + Math.random()))
      retryMs *= 2
      return false
    }
    if (isDone) {
      retryMs = pauseMs
    } else if (status === 404 || !batch[0]) {
      // Not a visitor that the portal knows.
      stop()
    } else if (batch[1]) {
      // One event is wrong: smaller batches find it, and the others arrive.
      keep(batch)
      batchSize = batch.length >> 1
    } else {
      batchSize = batchLimits.events
    }
    return true
  }

  const resume = async (): Promise<void> => {
    clearTimeout(timer)
    timer = 0
    if (isBusy || isStopped || !navigator.onLine) return
    const batch = isKnown ? take(waiting, batchSize) : []
    if (isKnown && !batch[0]) return
    isBusy = true
    const status = await (isKnown ? send(batch, false) : read()).catch(() => 0)
    isBusy = false
    const mayContinue = settle(status, batch)
    isKnown ||= mayContinue
    if (mayContinue) void resume()
  }

  void resume()
  return {
    add: (event) => {
      if (isStopped) return
      waiting = [...waiting, event].slice(-waitingLimit)
      if (!timer) schedule(pauseMs)
    },
    resume: () => void resume(),
    flush: () => {
      if (!navigator.onLine) return
      for (let batch = take(waiting, batchSize); batch[0]; batch = take(waiting, batchSize)) {
        const events = batch
        void send(events, true)
          .catch(() => 0)
          .then((status) => {
            if (settle(status, events)) void resume()
          })
      }
    },
    stop,
  }
}

/** Returns whether the same call would have the same answer again. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 429

/** Removes the next batch from the events that wait. */
function take(waiting: PageEvent[], size: number): PageEvent[] {
  let count = 0
  let bytes = 0
  for (const event of waiting) {
    bytes += new Blob([JSON.stringify(event)]).size + 1
    if (count > 0 && (count >= size || bytes > batchLimits.bytes)) break
    count++
  }
  return waiting.splice(0, count)
}
