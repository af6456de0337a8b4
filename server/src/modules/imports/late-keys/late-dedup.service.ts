import type { AccountId } from '@portico/contract/accounts'
import { findByName, foldName } from '@portico/domain/names'
import { countContactsAfter, listContactFields } from '#contacts'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { ImportRow } from '../imports.queries.ts'
import { selectRulingImports } from '../ruling-imports.queries.ts'
import { selectComputedRule, selectLastKeyComputation } from './key-computations.queries.ts'
import { countWithoutKeys, haveKeylessValues } from './keyless.service.ts'

type Columns = Pick<ImportRow, 'dedup_columns' | 'column_mapping'>
type AccountColumns = Columns & Pick<ImportRow, 'purl_scope'>

/**
 * Returns why an import cannot have dedup columns yet: no contact has a key, and those with values in these columns would be
 * added a second time, since they were imported without dedup columns, or the contacts that had the keys are gone. Null if it
 * can. With its own scope, an import never matches contacts of others. Contacts of running imports get their keys before the
 * next import of the account starts.
 */
export async function lateDedupProblem(db: Db, account: AccountId, row: AccountColumns): Promise<string | null> {
  if (row.dedup_columns.length === 0 || row.purl_scope === 'import') return null
  const computed = await selectLastKeyComputation(db, account)
  if (computed && computed.status !== 'completed' && computed.status !== 'rejected') {
    return 'The dedup keys of the existing contacts are being computed. Import the file when that has ended.'
  }
  if (computed?.status === 'rejected') {
    const left = await countContactsAfter(db, account, { position: computed.position, upTo: computed.up_to })
    if (left > 0) return `${haveNoKey(left)}, as computing them has ended before. Compute the keys again.`
  }
  const count = await countWithoutKeys(db, account)
  if (count === 0) return null
  const names = dedupFieldNames(row)
  const find = findByName(await listContactFields(db, account), ({ name }) => name)
  const fields = names.flatMap((name) => find(name) ?? [])
  // Without a value in these columns, none of the contacts can be in a file.
  if (!(await haveKeylessValues(db, account, fields))) return null
  const isSame = computed !== undefined && areSameNames(await namesOf(db, account, computed.fields), names)
  if (isSame || (await hasRule(db, account))) {
    return `${haveNoKey(count)}, and would be added a second time. Compute the keys again.`
  }
  const since = 'since no import before had dedup columns, and would be added a second time'
  const fix = 'Compute keys for the existing contacts, delete them and import them again with these columns, or leave'
  return `${haveNoKey(count)}, ${since}. ${fix} the dedup columns out.`
}

async function hasRule(db: Db, account: AccountId): Promise<boolean> {
  const imports = await selectRulingImports(db, account)
  return imports.some(({ purl_scope: scope, dedup_columns: columns }) => scope === 'account' && columns.length > 0)
}

const haveNoKey = (count: number): string =>
  `${count === 1 ? '1 contact has' : `${count.toLocaleString('en-US')} contacts have`} no dedup key`

/**
 * Requires the dedup columns by which keys were computed for the account's contacts, if that is its rule.
 * @throws invalid_input
 */
export async function requireComputedColumns(db: Db, account: AccountId, row: AccountColumns): Promise<void> {
  if (row.purl_scope === 'import') return
  const names = await namesOf(db, account, await selectComputedRule(db, account))
  if (names.length === 0 || areSameNames(names, dedupFieldNames(row))) return
  throw invalidField('dedupColumns', `Cannot be changed anymore: ${names.join(', ')}`)
}

/** Returns the dedup columns of an import by the present names of their fields. */
export function dedupFieldNames({ dedup_columns: columns, column_mapping: mapping }: Columns): string[] {
  const targets = new Map(Object.entries(mapping ?? {}).map(([column, field]) => [foldName(column), field]))
  return columns.map((name) => targets.get(foldName(name)) ?? name)
}

/** Whether lists of names are the same, in the same order. */
export const areSameNames = (one: readonly string[], other: readonly string[]): boolean =>
  one.map(foldName).join('\n') === other.map(foldName).join('\n')

/** The present names of fields, without those that were deleted. */
export async function namesOf(db: Db, account: AccountId, fields: readonly number[]): Promise<string[]> {
  if (fields.length === 0) return []
  const names = new Map((await listContactFields(db, account)).map(({ id, name }) => [id, name]))
  return fields.flatMap((id) => names.get(id) ?? [])
}
