import type { ChildProcess } from 'node:child_process'
import type { Import } from '@portico/contract/imports'
import { vi } from 'vitest'
import { runImport } from '#imports'
import type { Member, TestPortal } from '#test/kit/portal.ts'
import { killProcessWhen, startJob } from './job-process.ts'

/** Runs imports, in separate processes if a test kills them. `stateOf` reads the progress and status of an import. */
export function importWorkers<State extends { status: string }>(
  portal: () => TestPortal,
  stateOf: (member: Member, importId: string) => Promise<State>,
) {
  const start = ({ account }: Member, importId: string): ChildProcess =>
    startJob(portal(), 'import-process.ts', account, importId)

  /** Runs the import in a process that is killed as soon as `isTime` returns true. Returns whether it was. */
  const killWhen = (member: Member, importId: string, isTime: (state: State) => boolean): Promise<boolean> =>
    killProcessWhen(start(member, importId), async () => isTime(await stateOf(member, importId)))

  /** Runs the import in this process until it ends. The first try may find a killed process's lock still held. */
  async function finish(member: Member, importId: string): Promise<Import> {
    const { database, storage, log } = portal().parts
    const deps = { database, storage, log, onCompleted: async () => {}, onRejected: async () => {} }
    await vi.waitUntil(
      async () => {
        // As when a process ends with an error: the next one continues.
        await runImport(deps, member.account, Number(importId), new AbortController().signal).catch(() => {})
        return ['completed', 'rejected'].includes((await stateOf(member, importId)).status)
      },
      { timeout: 60_000, interval: 200 },
    )
    return (await member.get(`/contact-service/v1/imports/${importId}`)).json<Import>()
  }

  return { start, killWhen, finish }
}
