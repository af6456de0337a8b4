import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { foldName } from '@portico/domain/names'
import type { Db } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { SoughtFields } from '#platform/rows/sought-fields.ts'
import { savedPipelines } from '#saved-filters'

/** `uses`: finders of the stored items to search. `signal`: ends the search. */
type Searching = { db: Db; uses: readonly FieldUses[]; signal?: AbortSignal }

/**
 * Returns those of the names that nothing stored uses, besides one import with the name `exceptImport`. Reads each stored
 * text once for all names, in slices, and needs no lock: what is saved meanwhile shows in `readMarks`.
 * @throws timed_out where the filters that texts use are too large to be held in memory; AbortError after the signal
 */
export async function selectUnused<Named extends { name: string }>(
  { db, uses, signal }: Searching,
  account: AccountId,
  fields: readonly Named[],
  { exceptImport = null }: { exceptImport?: string | null } = {},
): Promise<Named[]> {
  if (fields.length === 0) return []
  const names = fields.map(({ name }) => name)
  const sought = new SoughtFields(names, savedPipelines(db, account))
  const used = new Set<string>()
  for (const { kind, findEach } of uses) {
    for await (const item of findEach(db, account, sought)) {
      await nextTurn(undefined, { signal })
      if (kind === 'import' && item.name === exceptImport) continue
      for (const name of item.fields) used.add(name)
    }
  }
  return fields.filter(({ name }) => !used.has(foldName(name)))
}

/** Returns a text that differs after each change of what the finders search. */
export async function readMarks(db: Db, uses: readonly FieldUses[], account: AccountId): Promise<string> {
  const marks: string[] = []
  for (const { readMark } of uses) marks.push(await readMark(db, account))
  return marks.join(' ')
}
