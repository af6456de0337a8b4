import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { measureLoopDelay } from './event-loop.ts'

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

test('the longest block of the event loop is measured, and forgotten after a while', async () => {
  const delay = measureLoopDelay()
  await sleep(100)
  const calm = delay.longestMs()
  block(1500)
  await sleep(50)
  expect(delay.longestMs()).toBeGreaterThan(1200)
  expect(delay.longestMs()).toBeGreaterThan(calm)
  delay.stop()
})

/** Runs a program that watches itself, with a limit of two seconds, and returns how it ended. */
async function run(program: string): Promise<{ signal: string | null; code: number | null; errors: string }> {
  const source = `import { endWhenStuck } from './src/platform/waits/event-loop.ts'\nconst stop = await endWhenStuck({ missed: 2 })\n${program}`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {
    cwd: new URL('../../..', import.meta.url).pathname,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (text) => (errors += String(text)))
  await once(child, 'close')
  return { signal: child.signalCode, code: child.exitCode, errors }
}

test('a stuck process ends with one line, so that it is restarted', async () => {
  const { signal, errors } = await run('setTimeout(() => { for (;;); }, 100)')
  expect(signal).toBe('SIGKILL')
  expect(errors).toContain('The portal has been stuck for 2 seconds and ends, to be started again.\n')
})

test('a busy process that pauses keeps running and ends normally', async () => {
  const busy = 'for (const end = performance.now() + 1200; performance.now() < end;);'
  const pauses = `for (let at = 0; at < 3; at++) { ${busy} await new Promise((go) => setTimeout(go, 700)) }`
  expect(await run(`${pauses}\nawait stop()`)).toMatchObject({ signal: null, code: 0 })
})

test('a process with a stuck worker thread ends with one line, even if its other threads run', async () => {
  const worker = `
    import { endWhenStuck, watchOfJobs } from './src/platform/waits/event-loop.ts'
    await endWhenStuck({ ...watchOfJobs, missed: 2 })
    setTimeout(() => { for (;;); }, 100)`
  const source = `data:text/javascript,${encodeURIComponent(worker.replace('./src', new URL('../..', import.meta.url).href.replace(/\/$/, '')))}`
  const { signal, errors } = await run(`
    const { Worker } = await import('node:worker_threads')
    new Worker(new URL(${JSON.stringify(source)}))
    setInterval(() => {}, 100)`)
  expect(signal).toBe('SIGKILL')
  expect(errors).toContain("The portal's worker has been stuck for 2 seconds and ends, to be started again.\n")
})
