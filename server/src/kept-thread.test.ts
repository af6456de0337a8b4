import { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { keepThread } from './kept-thread.ts'

// Ends with an error at any message but 'stop'.
const script = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', (text) => {
    if (text === 'stop') process.exit()
    throw new Error(text)
  })
  parentPort.postMessage('started')
`

async function keptThread(mostRestarts: number, pauseMs = 10) {
  const threads: Worker[] = []
  const errors: string[] = []
  let failed: (error: unknown) => void = () => {}
  const failure = new Promise<unknown>((resolve) => (failed = resolve))
  const makeThread = (): Worker => {
    const thread = new Worker(script, { eval: true })
    threads.push(thread)
    return thread
  }
  const onRestart = (error: unknown): void => void errors.push(String(error))
  const kept = await keepThread(makeThread, { mostRestarts, pauseMs, onRestart, onFailure: failed })
  const end = async (reason: string): Promise<void> => {
    const thread = threads.at(-1)
    thread?.postMessage(reason)
    await new Promise((resolve) => thread?.once('exit', resolve))
  }
  const started = (count: number): Promise<unknown> => vi.waitUntil(() => threads.length === count)
  return { ...kept, threads, errors, failure, end, started }
}

test('a thread that an error ends is started again, and stops when asked to', async () => {
  const kept = await keptThread(5)
  await kept.end('out of memory')
  await kept.started(2)
  await kept.end('out of memory again')
  expect(kept.errors).toEqual(['Error: out of memory', 'Error: out of memory again'])
  await kept.started(3)
  await kept.stop()
  expect(kept.threads).toHaveLength(3)
})

test('a thread that ends a second time is started again after a pause, but not once it was asked to stop', async () => {
  const kept = await keptThread(5, 1_000_000)
  await kept.end('first')
  await kept.started(2)
  await kept.end('second')
  await kept.stop()
  expect(kept.errors).toEqual(['Error: first', 'Error: second'])
  expect(kept.threads).toHaveLength(2)
})

test('a thread that keeps ending within an hour is given up, with its last error', async () => {
  const kept = await keptThread(1)
  await kept.end('first')
  await kept.started(2)
  await kept.end('second')
  expect(String(await kept.failure)).toBe('Error: second')
  expect(kept.errors).toEqual(['Error: first'])
})

test('a thread whose first start fails is not started again', async () => {
  const started: Worker[] = []
  const makeThread = (): Worker => {
    const thread = new Worker('throw new Error("no database")', { eval: true })
    started.push(thread)
    return thread
  }
  const keeping = { mostRestarts: 5, pauseMs: 10, onRestart: () => {}, onFailure: () => {} }
  await expect(keepThread(makeThread, keeping)).rejects.toThrow('no database')
  expect(started).toHaveLength(1)
})
