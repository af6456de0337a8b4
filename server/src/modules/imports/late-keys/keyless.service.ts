import type { AccountId } from '@portico/contract/accounts'
import { accountTimeZone } from '#accounts'
import { type ContactField, countWithoutDedupKey, listContactFields } from '#contacts'
import type { Db } from '#platform/database.ts'
import { selectImportsThatMakeKeys } from '../imports.queries.ts'
import { findDedupFields } from '../loading/contact-keys.service.ts'
import { selectImportRules } from '../ruling-imports.queries.ts'
import { selectLastKeyComputation } from './key-computations.queries.ts'
import { countUnrecognized, hasKeylessValues, selectUnrecognized } from './keyless.queries.ts'

// Contacts without a dedup key: from before the first rule, or duplicates whose counterpart with the key is gone.

/** Imports with their own scope: their contacts never match those of others. */
export async function importsWithOwnKeys(db: Db, account: AccountId): Promise<number[]> {
  const imports = await selectImportRules(db, account)
  return imports.flatMap(({ id, purl_scope: scope }) => (scope === 'import' ? [id] : []))
}

/** The number of contacts while none of them has a dedup key; 0 as soon as one does. */
export async function countWithoutKeys(db: Db, account: AccountId): Promise<number> {
  return countWithoutDedupKey(db, account, await selectImportsThatMakeKeys(db, account))
}

/** Whether contacts without a dedup key have values in these fields. */
export async function haveKeylessValues(db: Db, account: AccountId, fields: readonly ContactField[]): Promise<boolean> {
  return hasKeylessValues(db, account, await keyless(db, account, fields))
}

/** Whether a computation by these fields would give a contact a key. */
export async function hasContactsToKey(db: Db, account: AccountId, fields: readonly number[]): Promise<boolean> {
  const present = fieldsById(await listContactFields(db, account), fields)
  return (await countUnrecognized(db, account, await keyless(db, account, present), 1)) > 0
}

/** Contacts without a key whose key, by these fields, no contact has: the first of each key, at most `limit`. */
export async function contactsWithFreeKeys(
  db: Db,
  account: AccountId,
  fields: readonly ContactField[],
  limit: number,
): Promise<string[]> {
  return selectUnrecognized(db, account, await keyless(db, account, fields), limit)
}

/**
 * The number of contacts that files would add a second time: those without a key, while no contact has one; later those
 * whose key, by the rule or the last computation, no contact has.
 */
export async function countContactsToKey(db: Db, account: AccountId): Promise<number> {
  const fields = await ruleOrLast(db, account)
  const count = await countWithoutKeys(db, account)
  if (fields.length === 0) return count
  if (count > 0) return (await haveKeylessValues(db, account, fields)) ? count : 0
  return countUnrecognized(db, account, await keyless(db, account, fields))
}

async function ruleOrLast(db: Db, account: AccountId): Promise<ContactField[]> {
  const present = await listContactFields(db, account)
  const rule = await findDedupFields(db, account, present)
  if (rule.length > 0) return rule
  const last = await selectLastKeyComputation(db, account)
  return last ? fieldsById(present, last.fields) : []
}

/** Empty if one of the fields was deleted. */
function fieldsById(present: readonly ContactField[], ids: readonly number[]): ContactField[] {
  const fields = ids.flatMap((id) => present.filter((field) => field.id === id))
  return fields.length < ids.length ? [] : fields
}

async function keyless(db: Db, account: AccountId, fields: readonly ContactField[]) {
  const exceptImports = [...(await importsWithOwnKeys(db, account)), ...(await selectImportsThatMakeKeys(db, account))]
  return { fields, exceptImports, timeZone: await accountTimeZone(db, account) }
}
