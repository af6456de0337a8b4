import type { AccountId } from '@portico/contract/accounts'
import anyAscii from 'any-ascii'
import { accountTimeZone } from '#accounts'
import { type Db, setLocally } from '#platform/database.ts'
import { findColumns } from '../import-plan.ts'
import type { FileSettings } from '../import-context.ts'
import {
  createKeys,
  type KeyColumns,
  type RowSource,
  selectForeignLetters,
  type Transliteration,
} from './keys.queries.ts'
import type { PurlRule } from './match.queries.ts'

/** Returns the columns that match contacts of this import. @throws FileRefused if one is missing in the file */
export function keyColumns<Column extends { position: number; field: { name: string } }>(
  row: FileSettings,
  columns: readonly Column[],
) {
  const find = (names: readonly string[], setting: string) => findColumns(columns, row.header, names, setting)
  const findOne = (name: string | null, setting: string) => (name === null ? null : (find([name], setting)[0] ?? null))
  return {
    dedup: find(row.dedup_columns, 'dedup column'),
    purl: row.generate_purl ? find(row.purl_columns, 'PURL column') : [],
    latitude: findOne(row.latitude_column, 'latitude column'),
    longitude: findOne(row.longitude_column, 'longitude column'),
  }
}

/** Returns true if the rows need computed keys. */
export function hasKeys(row: FileSettings): boolean {
  return row.generate_purl || row.dedup_columns.length > 0 || row.latitude_column !== null
}

export function purlRule(row: FileSettings): PurlRule {
  if (!row.generate_purl) return null
  return { scope: row.purl_scope === 'import' ? row.id : 0, keepsKnown: row.same_purl }
}

/** Allows enough memory to sort and group a million narrow rows; the limit for searches does not. */
export async function raiseMemoryLimit(tx: Db): Promise<void> {
  await setLocally(tx, 'work_mem', '256MB')
}

/** Computes the keys of all rows of an import into its working table. Runs in the transaction that uses them. */
export async function makeKeys(
  tx: Db,
  account: AccountId,
  row: FileSettings,
  source: RowSource,
  keys: KeyColumns,
): Promise<void> {
  await raiseMemoryLimit(tx)
  // By default PostgreSQL overestimates the cost of passing rows between processes here.
  await setLocally(tx, 'parallel_tuple_cost', '0.001')
  const timeZone = await accountTimeZone(tx, account)
  const letters = keys.purl.length > 0 ? await selectForeignLetters(tx, source, keys.purl, { timeZone }) : []
  await createKeys(tx, account, row.id, source, keys, {
    // With an import's own scope, contacts never match those of another import.
    hashScope: row.purl_scope === 'import' ? `import ${row.id}: ` : '',
    spelling: spell(letters),
    timeZone,
  })
}

export function spell(letters: readonly string[]): Transliteration {
  const spelling: Transliteration = { from: '', to: '', letters: [], spelled: [] }
  let dropped = ''
  for (const letter of letters) {
    const ascii = anyAscii(letter)
    if (ascii.length === 1) {
      spelling.from += letter
      spelling.to += ascii
    } else if (ascii === '') dropped += letter
    else {
      spelling.letters.push(letter)
      spelling.spelled.push(ascii)
    }
  }
  // translate() drops letters without a counterpart, so these come last.
  spelling.from += dropped
  return spelling
}
