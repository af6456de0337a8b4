// Runs on the Node.js that is installed, 20 or newer, before anything of ours is: no dependencies, no TypeScript.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const bin = join(root, 'node_modules', '.bin')
const isWindows = process.platform === 'win32'

/** Something that a person can act on; printed without a stack. */
export class Trouble extends Error {}

/**
 * A command to run from the repository's root, with what is installed in it first in the path.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to our own
 */
export function start(command, args, env = {}) {
  return spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
    // What npm installs there are batch files, which only a shell runs.
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

// What keeps the portal's memory small (ADR 0044). Files pass through as many short-lived buffers; with a larger nursery,
// one a thread, the collector lets them pile up, for nothing.
export const portalFlags = ['--max-semi-space-size=4']

/**
 * For glibc, which otherwise keeps what was freed: in an arena for each of a dozen threads, and whatever comes in pieces
 * below a limit that it raises by itself to the size of our buffers. Other systems take no notice.
 */
export const portalEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(128 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024),
}

/** The Node.js that runs the portal: the one that was installed with it, or this one if it is new enough. */
export function portalNode() {
  const installed = join(bin, 'node')
  if (!isWindows && existsSync(installed)) return installed
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new Trouble(
    `Portico needs Node.js 24 or newer, and this is ${process.version}: install it from https://nodejs.org and start again.`,
  )
}

/**
 * Calls `stop` once on each of SIGINT and SIGTERM, and when npm has been told to end.
 * @param {(signal: 'SIGINT' | 'SIGTERM') => void} stop
 */
export function onStop(stop) {
  process.once('SIGINT', () => stop('SIGINT'))
  process.once('SIGTERM', () => stop('SIGTERM'))
  // Once is enough, but a second one must not end us before what we have started.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
  if (process.env['npm_lifecycle_event'] === undefined) return
  // Between npm and us is a shell. The signal that npm passes on ends the shell and never reaches us, so what we see
  // is that our parent has changed.
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop('SIGTERM')
  }, 250)
  watch.unref()
}

/**
 * Runs the script's work; a Trouble is printed as one line.
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
