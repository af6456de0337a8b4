import type { AccountId } from '@portico/contract/accounts'
import { enteredImport, selectMergeHolder } from '#contacts'
import { type DeleteRow, hasKeptContacts } from '#deletes'
import {
  areSameNames,
  dedupFieldNames,
  firstContactId,
  type ImportRules,
  namesOf,
  selectImportRules,
  selectKeyComputationBefore,
  selectLastKeyComputation,
} from '#imports'
import type { Db } from '#platform/database.ts'

/**
 * Returns why contacts of a delete cannot be restored, because imports now identify contacts differently; null when
 * they can be. The rules of an import bind later ones until it is undone with all its contacts. The keys of a contact
 * therefore stay comparable as long as the import that created it binds; for a contact entered in a form, as long as
 * one import binds that also bound at the time of the delete.
 */
export async function rulesProblem(db: Db, account: AccountId, row: DeleteRow): Promise<string | null> {
  const holder = row.merged_into === null ? undefined : await selectMergeHolder(db, account, row.id)
  if (holder !== undefined && holder !== row.merged_into) {
    return `Contact ${row.merged_into} was merged into contact ${holder} since. Undo that merge first.`
  }
  const imports = await selectImportRules(db, account)
  const then = imports.filter(({ id }) => row.binding_imports.includes(id))
  for (const { id, name } of imports.filter(({ binds }) => !binds)) {
    if (await hasKeptContacts(db, account, row.id, { ...rangeOf(id), haveKeys: false })) {
      return `The import "${name}" of these contacts was taken back since, so they cannot return.`
    }
  }
  const hasOwnRules = then.length > 0 && !then.some(({ binds }) => binds)
  if (hasOwnRules && (await hasKeptContacts(db, account, row.id, { ...rangeOf(enteredImport), haveKeys: true }))) {
    return 'The imports whose rules these contacts follow were taken back since, so they cannot return.'
  }
  return keysProblem(db, account, row, imports)
}

/**
 * Returns why the keys of contacts of a delete cannot be compared with those by which contacts are recognized now; null
 * when they can be. Contacts of imports with their own scope are never matched with others.
 */
async function keysProblem(
  db: Db,
  account: AccountId,
  row: DeleteRow,
  imports: readonly ImportRules[],
): Promise<string | null> {
  const makesKeys = ({ purl_scope: scope, dedup_columns: columns }: ImportRules): boolean =>
    scope === 'account' && columns.length > 0
  const first = imports.find((each) => each.binds && makesKeys(each))
  const former = imports.find((each) => row.binding_imports.includes(each.id) && makesKeys(each))
  const computed = await selectLastKeyComputation(db, account)
  const names = computed ? await namesOf(db, account, computed.fields) : []
  const now = first ? dedupFieldNames(first) : names
  // Keys may have been computed again since.
  const before = await selectKeyComputationBefore(db, account, row.created_at)
  const then = former ? dedupFieldNames(former) : before ? await namesOf(db, account, before.fields) : []
  if (now.length === 0 || areSameNames(now, then)) return null
  const isApart = ({ purl_scope: scope }: ImportRules): boolean => scope === 'import'
  const ranges = [{ id: enteredImport }, ...imports.filter((each) => !isApart(each))].map(({ id }) => rangeOf(id))
  const areMatched = ranges.map((range) => hasKeptContacts(db, account, row.id, { ...range, haveKeys: false }))
  if (!(await Promise.all(areMatched)).includes(true)) return null
  const since = first ? `the import "${first.name}"` : 'the dedup keys of all contacts were computed'
  const recognized = `Since ${since}, contacts are recognized by ${inWords(now)}`
  return then.length === 0
    ? `${recognized}, and these have no key of it.`
    : `${recognized}, and these have keys of ${inWords(then)}.`
}

const rangeOf = (importId: number): { from: bigint; before: bigint } =>
  importId === enteredImport
    ? { from: 0n, before: firstContactId(1) }
    : { from: firstContactId(importId), before: firstContactId(importId + 1) }

const inWords = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(' and ')
