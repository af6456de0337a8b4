import { once } from 'node:events'
import { url as debuggerUrl } from 'node:inspector'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'

const windowMs = 5000

/** Measures how long code blocks the thread of requests. */
export type LoopDelay = {
  /** The longest block that ended within the last five to ten seconds. */
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

/** Of the thread that runs jobs. It has a lower priority, so other work of the machine may hold it up for longer. */
export const watchOfJobs = { name: "The portal's worker", missed: 180 }

/**
 * Ends the process when the thread that calls this has been blocked for a minute: it answers nothing any more, not even that it
 * is stuck, and its service manager starts the process again. A thread of its own watches. While the machine sleeps nothing is
 * counted, and under a debugger nothing is watched.
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

// The output of a thread goes through the one that is stuck, so the line is written by the system call.
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
