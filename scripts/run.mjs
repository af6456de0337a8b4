// Runs on the installed Node.js (20 or newer) before `npm install`: no dependencies, no TypeScript.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const bin = join(root, 'node_modules', '.bin')
const isWindows = process.platform === 'win32'

/** An error that the user can fix; printed without a stack. */
export class Trouble extends Error {}

/**
 * Starts a command in the repository's root, with its installed programs first in the path.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to our own
 */
export function start(command, args, env = {}) {
  return spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
    // On Windows npm installs batch files, which need a shell.
    shell: isWindows,
  })
}

/**
 * Resolves to the exit code.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>}
 */
export function run(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = start(command, args, env)
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

// Keeps the portal's memory small (ADR 0044): with a larger young generation, which each thread has, the garbage
// collector lets short-lived buffers of file transfers pile up, and a heap that grows by multiples holds hundreds of
// large requests.
export const portalFlags = ['--max-semi-space-size=4', '--heap-growing-percent=30']

/**
 * Makes glibc return freed memory. By default, it keeps an arena for each of a dozen threads, and all blocks below a
 * limit that it raises to the size of our buffers. Ignored by other systems.
 *
 * UV_THREADPOOL_SIZE: look-ups of names take at most half of these threads, those for users a quarter (ADR 0108).
 */
export const portalEnvironment = {
  UV_THREADPOOL_SIZE: '24',
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(128 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024),
}

/** Returns the Node.js for the portal: the one installed with it, or this one if it is new enough. */
export function portalNode() {
  const installed = join(bin, 'node')
  if (!isWindows && existsSync(installed)) return installed
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new Trouble(
    `Portico requires Node.js 24 or newer, but this is ${process.version}. Install it from https://nodejs.org and start again.`,
  )
}

/**
 * Calls `stop` on SIGINT, on SIGTERM, and when npm is terminated, once each.
 * @param {(signal: 'SIGINT' | 'SIGTERM') => void} stop
 */
export function onStop(stop) {
  process.once('SIGINT', () => stop('SIGINT'))
  process.once('SIGTERM', () => stop('SIGTERM'))
  // Further signals are ignored: this process must not end before its children.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
  if (process.env['npm_lifecycle_event'] === undefined) return
  // Unless a script replaces its shell (`exec`), a signal forwarded by npm ends the shell and does not reach this
  // process. Nor does this process notice that npm itself ends. A changed parent is the only sign.
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop('SIGTERM')
  }, 250)
  watch.unref()
}

/**
 * Runs a script; prints a Trouble as one line.
 * @param {() => Promise<number>} work resolves to the exit code
 */
export async function main(work) {
  try {
    process.exitCode = await work()
  } catch (error) {
    if (!(error instanceof Trouble)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
