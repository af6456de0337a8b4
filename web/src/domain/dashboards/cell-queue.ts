// A dashboard has up to sixty cells. They are requested a few at a time, those on screen first.

const mostAtOnce = 4

type Waiting = { isVisible: boolean; start: () => void }

let running = 0
let waiting: Waiting[] = []

function startNext(): void {
  if (running >= mostAtOnce) return
  const next = waiting.find(({ isVisible }) => isVisible) ?? waiting[0]
  if (!next) return
  waiting = waiting.filter((each) => each !== next)
  running++
  next.start()
}

/** Runs `ask` when its turn comes. Rejects if `signal` is aborted before that. */
export async function inTurn<T>(isVisible: boolean, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      waiting = waiting.filter((each) => each !== entry)
      reject(signal.reason as Error)
    }
    const entry: Waiting = {
      isVisible,
      start: () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      },
    }
    signal.addEventListener('abort', onAbort, { once: true })
    waiting.push(entry)
    startNext()
  })
  try {
    return await ask()
  } finally {
    running--
    startNext()
  }
}
