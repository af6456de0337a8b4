import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import { type Binaries, prepareBinaries } from './binaries.ts'

/** How PostgreSQL's programs are run for one home folder (`DATA_DIR/postgres`). */
export type Programs = Binaries & {
  /** Null: as ourselves. */
  account: Account | null
  home: string
  /** The path under which the programs find home. */
  reachHome: string
}

/** A program that was started. */
export type Program = {
  pid: number | undefined
  /** Why it ended, in words; null while it runs. */
  end: () => string | null
  /** Resolves when it has ended. */
  whenEnded: Promise<void>
}

export async function preparePrograms(home: string, account: Account | null): Promise<Programs> {
  return { ...(await prepareBinaries(home, account)), account, home, reachHome: await reachable(home, account) }
}

/** Starts a program, both of its outputs going to the log of the home folder. */
export function startProgram(programs: Programs, name: 'initdb' | 'postgres', args: string[]): Program {
  const program = join(programs.folder, 'bin', name)
  const [command = program, ...rest] = [...endsWithParent(), program, ...args]
  const home = openSync(programs.home, 'r')
  const log = openSync(logFile(programs.home), 'a', 0o600)
  try {
    const child = spawn(command, rest, {
      ...programs.account,
      // Home is open as number 3, for `reachable`.
      stdio: ['ignore', log, log, home],
      // A group of its own: Ctrl-C in a terminal goes to the whole group, but PostgreSQL is to stop after we have.
      detached: true,
      // The current folder may be one that the account cannot enter.
      cwd: '/',
      // None of our secrets, and nothing such as PGOPTIONS that would change what it does.
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    })
    // A server does not keep us from ending: when we do so without stopping it, the kernel stops it.
    if (name === 'postgres') child.unref()
    return observe(child)
  } finally {
    closeSync(log)
    closeSync(home)
  }
}

function observe(child: ChildProcess): Program {
  let end: string | null = null
  const { promise, resolve } = Promise.withResolvers<void>()
  child.once('exit', (code, signal) => {
    end = signal ? `ended by ${signal}` : `ended with code ${code}`
    resolve()
  })
  // Comes instead of 'exit' when it could not be started at all.
  child.once('error', (error) => {
    end = error.message
    resolve()
  })
  return { pid: child.pid, end: () => end, whenEnded: promise }
}

/** Where the programs write; the one before it is kept as `log.previous`. */
export const logFile = (home: string): string => join(home, 'log')

/** The last lines that the programs wrote. */
export async function lastWords(home: string): Promise<string> {
  const text = await readFile(logFile(home), 'utf8')
  return text.trim().split('\n').slice(-5).join('\n')
}

/**
 * A folder of mode 0700 on the way, such as /root, shuts out the account that PostgreSQL runs as. Opening it for
 * everyone is not ours to do, and a cluster kept elsewhere would be missing from backups of the data folder. But a
 * folder that root holds open can be reached through its number by the process that inherits it, without passing
 * through the folders above.
 */
async function reachable(home: string, account: Account | null): Promise<string> {
  if (!account || (await canEnter(home, account))) return home
  if (process.platform === 'linux') return '/proc/self/fd/3'
  throw new Error(
    `PostgreSQL does not run as root, and no other user may enter ${home}: set DATA_DIR to another folder, or start the portal as another user.`,
  )
}

// Of util-linux.
const setpriv = 'setpriv'
let endsWithParentCommand: string[] | undefined

/**
 * Has the kernel stop PostgreSQL cleanly should we be killed. Good for a start from the main thread only: the signal
 * comes when the thread ends that started it. Without setpriv the next start does the stopping.
 */
function endsWithParent(): string[] {
  return (endsWithParentCommand ??= knowsParentDeathSignal() ? [setpriv, '--pdeathsig', 'INT'] : [])
}

function knowsParentDeathSignal(): boolean {
  try {
    // BusyBox has one that does not know the option.
    execFileSync(setpriv, ['--pdeathsig', 'INT', setpriv, '--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
