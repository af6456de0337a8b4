import type { AccountId } from '@portico/contract/accounts'
import {
  type ContactField,
  inTurn,
  insertDedupKeys,
  listContactFields,
  lockContacts,
  selectHolders,
  selectKeyless,
} from '#contacts'
import type { Db } from '#platform/database.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import type { FileRun } from '../import-context.ts'
import { computeHashes, findDedupFields } from '../loading/contact-keys.service.ts'
import { selectLastKeyComputation } from './key-computations.queries.ts'
import { contactsWithFreeKeys } from './keyless.service.ts'

// So that a step takes about half a second, for which people's changes wait.
const contactsAtOnce = 5000

/**
 * Gives a key to each contact of which a computation gave it to a duplicate that is gone since: a row of the file would
 * otherwise add it a second time. Of contacts with the same key, the first by id gets it. Without computed keys there are
 * no such contacts.
 */
export async function giveFreeKeys(run: FileRun): Promise<void> {
  const { account, row, database, signal } = run
  const { db } = database
  if (row.dedup_columns.length === 0 || row.purl_scope === 'import') return
  if (!(await selectLastKeyComputation(db, account))) return
  const fields = await findDedupFields(db, account, await listContactFields(db, account))
  const subject = { account, import: row.id }
  for (let given = 1; given > 0;) {
    await run.checkpoint()
    const ids = await contactsWithFreeKeys(db, account, fields, contactsAtOnce)
    if (ids.length === 0) return
    given = await inTurn(run, subject, signal, (tx) =>
      // People's changes of keys come before this or after it.
      withLock(tx, accountLock('unendedImports', account), async () => {
        const { given: count } = await giveDedupKeys(tx, account, await lockContacts(tx, account, ids), fields)
        return count
      }),
    )
  }
}

/**
 * Gives those of the contacts that have no dedup key theirs, by the values of these fields. The contacts must be locked, and
 * the account's lock of imports be held. Returns how many have one now (`keyed`), how many of these were given theirs (`given`),
 * how many have no value in the fields (`blank`), and the others with the contacts that have their keys.
 */
export async function giveDedupKeys(
  tx: Db,
  account: AccountId,
  ids: readonly string[],
  fields: readonly ContactField[],
): Promise<{ keyed: number; given: number; blank: number; duplicates: { contact: string; other: string }[] }> {
  const keyless = await selectKeyless(tx, account, ids)
  const hashes = await computeHashes(tx, account, keyless, fields)
  const keys = hashes.flatMap(({ id, hash }) => (hash === null ? [] : [{ id, hash }]))
  const given = new Set(await insertDedupKeys(tx, account, keys))
  const others = keys.filter(({ id }) => !given.has(id))
  return {
    keyed: ids.length - keyless.length + given.size,
    given: given.size,
    blank: hashes.length - keys.length,
    duplicates: await selectHolders(tx, account, others),
  }
}
