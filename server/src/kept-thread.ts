import type { Worker } from 'node:worker_threads'

const hourMs = 3600 * 1000

export type KeptThread = {
  /** Asks the thread to stop, and waits for its end. */
  stop: () => Promise<void>
}

type Keeping = {
  /** Times that the thread is started again within an hour. */
  mostRestarts: number
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
  { mostRestarts, onRestart, onFailure }: Keeping,
): Promise<KeptThread> {
  const ends: number[] = []
  let isStopping = false
  let thread = makeThread()
  let ended = endOf(thread)

  function revive(error: unknown): void {
    if (isStopping) return
    const now = Date.now()
    ends.push(now)
    if (ends.filter((end) => end > now - hourMs).length > mostRestarts) return onFailure(error)
    onRestart(error)
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
      thread.postMessage('stop')
      await ended
    },
  }
}

const endOf = (thread: Worker): Promise<void> => new Promise((resolve) => thread.once('exit', () => resolve()))
