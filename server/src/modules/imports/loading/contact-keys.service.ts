import type { AccountId } from '@portico/contract/accounts'
import { isSameName } from '@portico/domain/names'
import { accountTimeZone } from '#accounts'
import { type ContactField, enteredImport } from '#contacts'
import type { Db } from '#platform/database.ts'
import type { PlannedColumn } from '../import-plan.ts'
import { type RulingImport, selectRulingImports } from '../ruling-imports.queries.ts'
import { keyColumns, spell } from './import-keys.service.ts'
import { selectComputedRule } from '../late-keys/key-computations.queries.ts'
import {
  contactSource,
  type KeyColumns,
  type Keys,
  selectForeignLetters,
  selectHashes,
  selectKeys,
} from './keys.queries.ts'

/** How the account's imports compute the keys of a contact: from which fields, and in which scope. */
export type KeyRule = {
  columns: KeyColumns
  /** Fields from which the dedup hash or coordinates are computed. */
  fields: ContactField[]
  makesPurls: boolean
  hashScope: string
}

/**
 * Returns the rule for a contact of an import, or for one entered in a form: the dedup columns of its import if that
 * has its own scope, otherwise those shared by all imports of the account (`requireSameRules`); and the coordinates of
 * the last import that had any. A contact entered in a form has its own scope if the last import had one.
 */
export async function findKeyRule(
  db: Db,
  account: AccountId,
  importId: number,
  fields: readonly ContactField[],
): Promise<KeyRule> {
  const imports = await selectRulingImports(db, account)
  const own = imports.find(({ id }) => id === importId)
  const last = imports[0]
  const isApart = (own ?? (importId === enteredImport ? last : undefined))?.purl_scope === 'import'
  const matching = isApart ? (own ?? last) : imports.find((each) => each.purl_scope === 'account' && hasDedup(each))
  const computed = matching || isApart ? [] : await selectComputedRule(db, account)
  const dedup = matching ? columnsOf(matching, fields).dedup : planned(computed, fields)
  const located = imports.find(({ latitude_column: latitude }) => latitude !== null)
  const { latitude = null, longitude = null } = located ? columnsOf(located, fields) : {}
  const purl = last ? columnsOf(last, fields).purl : []
  const used = [...dedup, latitude, longitude].flatMap((column) => (column ? [column.field] : []))
  return {
    columns: { dedup, purl, latitude, longitude },
    fields: used,
    makesPurls: last?.generate_purl ?? false,
    hashScope: isApart ? `import ${importId}: ` : '',
  }
}

/**
 * Returns the fields by which all imports of the account tell contacts apart: the dedup columns of those that bind, or those
 * of computed keys. Empty while there is no such rule.
 */
export async function findDedupFields(
  db: Db,
  account: AccountId,
  fields: readonly ContactField[],
): Promise<ContactField[]> {
  const imports = await selectRulingImports(db, account)
  const matching = imports.find((each) => each.purl_scope === 'account' && hasDedup(each))
  const dedup = matching ? columnsOf(matching, fields).dedup : planned(await selectComputedRule(db, account), fields)
  return dedup.map(({ field }) => field)
}

/** Fields as columns that no file has. */
const planned = (ids: readonly number[], fields: readonly ContactField[]): PlannedColumn[] =>
  ids.flatMap((id) => fields.filter((field) => field.id === id).map((field) => ({ position: -1, field })))

/** Computes the dedup hashes that these fields give contacts in the scope of the account; null of blanks alone. */
export async function computeHashes(
  db: Db,
  account: AccountId,
  ids: readonly string[],
  fields: readonly ContactField[],
): Promise<{ id: string; hash: string | null }[]> {
  const dedup = fields.map((field) => ({ position: -1, field }))
  return selectHashes(db, account, { ids, fields }, dedup, await accountTimeZone(db, account))
}

const hasDedup = ({ dedup_columns: columns }: RulingImport): boolean => columns.length > 0

/** Returns the columns of an import with their present fields, whose new names the settings follow. */
function columnsOf(row: RulingImport, fields: readonly ContactField[]): KeyColumns {
  const current = new Map(fields.map((field) => [field.id, field]))
  const columns = row.plan.columns.map((column) => ({ ...column, field: current.get(column.field.id) ?? column.field }))
  // The name of a column in the file may since have been given to another field.
  const isField = (name: string): boolean => columns.some(({ field }) => isSameName(field.name, name))
  return keyColumns({ ...row, header: row.header.map((name) => (isField(name) ? '' : name)) }, columns)
}

/** Computes the keys that an import would give to a contact with these values. */
export async function computeKeys(db: Db, account: AccountId, id: string, rule: KeyRule): Promise<Keys> {
  const { columns, hashScope } = rule
  const purlFields = columns.purl.map(({ field }) => field)
  const fields = [...new Map([...rule.fields, ...purlFields].map((field) => [field.id, field])).values()]
  const source = contactSource(account, [id], fields)
  const timeZone = await accountTimeZone(db, account)
  const letters = columns.purl.length > 0 ? await selectForeignLetters(db, source, columns.purl, { timeZone }) : []
  const keys = await selectKeys(db, account, { id, fields }, columns, { hashScope, spelling: spell(letters), timeZone })
  if (!keys) throw new Error('The contact is gone in the middle of its own change.')
  return keys
}
