/** Pause in which events are collected, and the first pause after a failure; each further failure doubles it. */
export const pauseMs = 1000

/** Decides when the next call is made. */
export type CallTimer = {
  /** After the pause for events, unless a call is due already. */
  collect: () => void
  /** After a failure: later each time. */
  retry: () => void
  /** The portal responds again. */
  reset: () => void
  cancel: () => void
}

/** Returns a timer that makes the next call. */
export function createTimer(call: () => void): CallTimer {
  let timer = 0
  let retryMs = pauseMs
  const cancel = (): void => {
    clearTimeout(timer)
    timer = 0
  }
  const set = (ms: number): void => {
    cancel()
    timer = window.setTimeout(call, ms)
  }
  return {
    collect: () => {
      if (!timer) set(pauseMs)
    },
    retry: () => {
      // Randomized, to keep the pages of a site from calling again all at once.
      set(retryMs * (1 + Math.random()))
      retryMs *= 2
    },
    reset: () => {
      retryMs = pauseMs
    },
    cancel,
  }
}
