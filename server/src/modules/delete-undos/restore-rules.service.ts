import type { AccountId } from '@portico/contract/accounts'
import { selectMergeHolder } from '#contacts'
import { type DeleteRow, hasKeptContacts } from '#deletes'
import { firstContactId, selectImportRules, selectLastKeyComputation } from '#imports'
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
    const range = { from: firstContactId(id), before: firstContactId(id + 1), haveKeys: false }
    if (await hasKeptContacts(db, account, row.id, range)) {
      return `The import "${name}" of these contacts was taken back since, so they cannot return.`
    }
  }
  const entered = { from: 0n, before: firstContactId(1), haveKeys: true }
  const hasOwnRules = then.length > 0 && !then.some(({ binds }) => binds)
  if (hasOwnRules && (await hasKeptContacts(db, account, row.id, entered))) {
    return 'The imports whose rules these contacts follow were taken back since, so they cannot return.'
  }
  const makesKeys = ({ binds, purl_scope: scope, dedup_columns: columns }: (typeof imports)[number]): boolean =>
    binds && scope === 'account' && columns.length > 0
  const first = imports.find(makesKeys)
  const computed = await selectLastKeyComputation(db, account)
  const now = new Date()
  const hadKeys =
    then.some(({ dedup_columns: columns }) => columns.length > 0) || (computed?.completed_at ?? now) < row.created_at
  if (computed && !hadKeys) {
    return 'Since the dedup keys of all contacts were computed, contacts are recognized by them, and these have none.'
  }
  if (first && !hadKeys) {
    return `Since the import "${first.name}", contacts are recognized by dedup columns, which these contacts have no key of.`
  }
  return null
}
