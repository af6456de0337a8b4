import type { Worker } from 'node:worker_threads'

const hourMs = 3600 * 1000
const mostPauseMs = 60_000

export type KeptThread = {
  /** Asks the thread to stop, and waits for its end. */
  stop: () => Promise<void>
}

type Keeping = {
  /** Times that the thread is started again within an hour. */
  mostRestarts: number
  /**
   * The first time within an hour it is started again at once. Pause before the second time; doubled before each further
   * one, up to a minute, as a thread may end early while the database is away.
   */
  pauseMs: number
  /** Called with each error that ends the thread and is followed by another start. */
  onRestart: (error: unknown) => void
  /** Called with the error that is not followed by another start. */
  onFailure: (error: unknown) => void
}

/**
 * Starts a thread, and starts it again when an error ends it, such as memory that a job has used up. A thread sends a message
 * once it has started, and stops at the message 'stop'.
 * @throws the error of a first start that fails
 */
export async function keepThread(
  makeThread: () => Worker,
  { mostRestarts, pauseMs, onRestart, onFailure }: Keeping,
): Promise<KeptThread> {
  const ends: number[] = []
  let isStopping = false
  let pause: NodeJS.Timeout | undefined
  let thread = makeThread()
  let ended = endOf(thread)

  function revive(error: unknown): void {
    if (isStopping) return
    const now = Date.now()
    ends.push(now)
    const times = ends.filter((end) => end > now - hourMs).length
    if (times > mostRestarts) return onFailure(error)
    onRestart(error)
    pause = setTimeout(startAgain, times === 1 ? 0 : Math.min(pauseMs * 2 ** (times - 2), mostPauseMs))
  }

  function startAgain(): void {
    thread = makeThread()
    ended = endOf(thread)
    thread.once('error', revive)
  }

  await new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
  thread.once('error', revive)
  return {
    async stop() {
      isStopping = true
      clearTimeout(pause)
      thread.postMessage('stop')
      await ended
    },
  }
}

const endOf = (thread: Worker): Promise<void> => new Promise((resolve) => thread.once('exit', () => resolve()))
