import type { Import, NewImport } from '@portico/contract/imports'
import { runImport } from '#imports'
import { runKeyComputation } from '#dedup-keys'
import { runUndo } from '#import-undos'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { fieldUses } from '../../src/registrations.ts'
import { submit } from './imports.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'

export { fieldUses }

const imports = '/contact-service/v1/imports'

/** Uploads, submits and runs an import, in a portal without a worker. */
export async function importAtOnce(
  portal: TestPortal,
  member: Member,
  content: string,
  changes: Partial<NewImport> = {},
): Promise<Import> {
  const { _id } = await submit(portal, member, content, changes)
  await runImportOf(portal, member, _id)
  return readImport(member, _id)
}

/** Runs a waiting import, in a portal without a worker. */
export async function runImportOf(portal: TestPortal, { account }: Member, id: string): Promise<void> {
  const deps = { ...portal.parts, onCompleted: async () => {}, onRejected: async () => {} }
  await runImport(deps, account, Number(id), new AbortController().signal)
}

/** Runs the job that undoes an import, in a portal without a worker. */
export async function runUndoOf(
  portal: TestPortal,
  { account }: Member,
  id: string,
  {
    signal = new AbortController().signal,
    uses = fieldUses,
  }: { signal?: AbortSignal; uses?: readonly FieldUses[] } = {},
): Promise<void> {
  await runUndo({ ...portal.parts, uses }, account, Number(id), signal)
}

/** Runs the job that computes dedup keys, in a portal without a worker. */
export async function runComputationOf(portal: TestPortal, { account }: Member, id: string): Promise<void> {
  await runKeyComputation(portal.parts, account, id, new AbortController().signal)
}

export const readImport = async (member: Member, id: string): Promise<Import> =>
  (await member.get(`${imports}/${id}`)).json<Import>()
