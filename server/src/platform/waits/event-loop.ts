import { once } from 'node:events'
import { url as debuggerUrl } from 'node:inspector'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'

const windowMs = 5000

/** Measures how long code blocks the thread that handles requests. */
export type LoopDelay = {
  /** Returns the longest block that ended within the last five to ten seconds. */
  longestMs: () => number
  stop: () => void
}

export function measureLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: 20 })
  histogram.enable()
  const longest = (): number => Math.round(histogram.max / 1e6)
  let before = 0
  const timer = setInterval(() => {
    before = longest()
    histogram.reset()
  }, windowMs)
  timer.unref()
  return {
    longestMs: () => Math.max(before, longest()),
    stop() {
      clearInterval(timer)
      histogram.disable()
    },
  }
}

const beatMs = 1000
const mostMissed = 60

/** For the thread that runs jobs. It has a lower priority, so other work of the machine may delay it for longer. */
export const watchOfJobs = { name: "The portal's worker", missed: 180 }

/**
 * Ends the process if the calling thread has been blocked for a minute: it can no longer respond, not even to report
 * that it is stuck, and its service manager restarts the process. A separate thread watches. Time during which the
 * machine sleeps does not count, and a process under a debugger is not watched.
 */
export async function endWhenStuck({ name = 'The portal', missed = mostMissed } = {}): Promise<() => Promise<void>> {
  if (debuggerUrl() !== undefined) return async () => {}
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const watch = new Worker(watching, {
    eval: true,
    name: 'watchdog',
    execArgv: [],
    workerData: { beats, beatMs, missed, name },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  })
  const timer = setInterval(() => Atomics.add(beats, 0, 1), beatMs / 2)
  timer.unref()
  await once(watch, 'online')
  watch.unref()
  return async () => {
    clearInterval(timer)
    await watch.terminate()
  }
}

// A thread writes its output through the main thread, which is stuck, so the line is written by a system call.
const watching = `
const { writeSync } = require('node:fs')
const { beats, beatMs, missed, name } = require('node:worker_threads').workerData
let last = -1
let since = 0
setInterval(() => {
  const now = Atomics.load(beats, 0)
  since = now === last ? since + 1 : 0
  last = now
  if (since < missed) return
  try {
    writeSync(2, name + ' has been stuck for ' + Math.round((missed * beatMs) / 1000) + ' seconds and ends, to be started again.\\n')
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}, beatMs)
`
