import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import { type Binaries, prepareBinaries } from './binaries.ts'

/** PostgreSQL's programs, set up for one home folder (`DATA_DIR/postgres`). */
export type Programs = Binaries & {
  /** Null: the user of this process. */
  account: Account | null
  home: string
  /** The path by which the programs reach home. */
  reachHome: string
}

/** A started program. */
export type Program = {
  pid: number | undefined
  /** Returns the reason why it ended, as text; null while it runs. */
  end: () => string | null
  /** Resolves when it has ended. */
  whenEnded: Promise<void>
}

export async function preparePrograms(home: string, account: Account | null): Promise<Programs> {
  return { ...(await prepareBinaries(home, account)), account, home, reachHome: await reachable(home, account) }
}

/** Starts a program that writes both outputs to the log of the home folder. */
export function startProgram(programs: Programs, name: 'initdb' | 'postgres', args: string[]): Program {
  const program = join(programs.folder, 'bin', name)
  const [command = program, ...rest] = [...endsWithParent(), program, ...args]
  const home = openSync(programs.home, 'r')
  const log = openSync(logFile(programs.home), 'a', 0o600)
  try {
    const child = spawn(command, rest, {
      ...programs.account,
      // File descriptor 3 is the open home folder, for `reachable`.
      stdio: ['ignore', log, log, home],
      // A separate process group: Ctrl-C goes to the whole group, but PostgreSQL has to stop after this process.
      detached: true,
      // The account may be unable to enter the current folder.
      cwd: '/',
      // No secrets of the portal, and no variables such as PGOPTIONS.
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    })
    // A server must not keep this process alive; if this process ends without stopping it, the kernel does.
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
  // Emitted instead of 'exit' if the program could not be started.
  child.once('error', (error) => {
    end = error.message
    resolve()
  })
  return { pid: child.pid, end: () => end, whenEnded: promise }
}

/** Returns the path of the programs' log; that of the previous start is kept as `log.previous`. */
export const logFile = (home: string): string => join(home, 'log')

/** Matches lines about connections that were refused during a start; there may be hundreds. */
const refusal = /FATAL: {2}the database system is |DETAIL: {2}Consistent recovery state has not been yet reached/

/** Returns the last lines of the log, without those of refused connections. */
export async function lastLogLines(home: string): Promise<string> {
  const lines = (await readFile(logFile(home), 'utf8')).trim().split('\n')
  return lines
    .filter((line) => !refusal.test(line))
    .slice(-5)
    .join('\n')
}

/**
 * Returns a path by which the account can reach home. A parent folder of mode 0700, such as /root, blocks the account
 * that PostgreSQL runs as. The portal must not change its mode, and a cluster elsewhere would be missing from backups
 * of the data folder. But a child process can reach an inherited open folder by its file descriptor, without passing
 * through the parents.
 */
async function reachable(home: string, account: Account | null): Promise<string> {
  if (!account || (await canEnter(home, account))) return home
  if (process.platform === 'linux') return '/proc/self/fd/3'
  throw new Error(
    `PostgreSQL does not run as root, and no other user may enter ${home}. Set DATA_DIR to another folder, or start the portal as another user.`,
  )
}

// Part of util-linux.
const setpriv = 'setpriv'
let endsWithParentCommand: string[] | undefined

/**
 * Returns the command prefix that makes the kernel stop PostgreSQL cleanly if this process is killed. Only for starts
 * from the main thread: the signal is sent when the starting thread ends. Without setpriv, the next start stops it.
 */
function endsWithParent(): string[] {
  return (endsWithParentCommand ??= knowsParentDeathSignal() ? [setpriv, '--pdeathsig', 'INT'] : [])
}

function knowsParentDeathSignal(): boolean {
  try {
    // The setpriv of BusyBox does not support the option.
    execFileSync(setpriv, ['--pdeathsig', 'INT', setpriv, '--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
