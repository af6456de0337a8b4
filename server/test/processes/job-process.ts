import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import type { TestPortal } from '#test/kit/portal.ts'

// Polling without a pause would take a processor from the job under test.
const lookEveryMs = 5

/** Scripts of this folder that make one attempt at a job. */
type Script =
  | 'delete-process.ts'
  | 'import-process.ts'
  | 'key-computation-process.ts'
  | 'restore-process.ts'
  | 'undo-process.ts'

/** Starts a process that makes one attempt at a job of an account, in the portal's database and storage. */
export const startJob = ({ parts, config }: TestPortal, script: Script, account: AccountId, id: string): ChildProcess =>
  spawn(process.execPath, [join(import.meta.dirname, script), String(account), id], {
    stdio: 'ignore',
    env: { ...process.env, DATABASE_URL: parts.database.url, DATA_DIR: config.dataDir },
  })

/** Kills a process as soon as `isTime`, and waits for its end. Returns whether it was killed. */
export async function killProcessWhen(worker: ChildProcess, isTime: () => Promise<boolean>): Promise<boolean> {
  const exited = once(worker, 'exit')
  let isKilled = false
  while (worker.exitCode === null && !isKilled) {
    if (await isTime()) isKilled = worker.kill('SIGKILL')
    else await sleep(lookEveryMs)
  }
  await exited
  return isKilled
}
