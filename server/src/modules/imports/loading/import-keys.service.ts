import type { AccountId } from '@portico/contract/accounts'
import anyAscii from 'any-ascii'
import { type Db, setLocally } from '#platform/database.ts'
import { findColumns } from '../import-plan.ts'
import type { ImportRow } from '../imports.queries.ts'
import {
  createKeys,
  type KeyColumns,
  type RowSource,
  selectForeignLetters,
  type Transliteration,
} from './keys.queries.ts'
import type { PurlRule } from './match.queries.ts'

/** The columns that a contact of this import is looked up by. @throws FileRefused when one is not in the file */
export function keyColumns<Column extends { position: number; field: { name: string } }>(
  row: ImportRow,
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

/** Whether there is anything to work out for the rows at all. */
export function hasKeys(row: ImportRow): boolean {
  return row.generate_purl || row.dedup_columns.length > 0 || row.latitude_column !== null
}

export function purlRule(row: ImportRow): PurlRule {
  if (!row.generate_purl) return null
  return { scope: row.purl_scope === 'import' ? row.id : 0, keepsKnown: row.same_purl }
}

/** Sorting and grouping a million narrow rows fits into this, and not into what a search is given. */
export async function givePlentyOfMemory(tx: Db): Promise<void> {
  await setLocally(tx, 'work_mem', '256MB')
}

/** Works out the keys of all rows of an import into its working table. Runs in the transaction that uses them. */
export async function makeKeys(
  tx: Db,
  account: AccountId,
  row: ImportRow,
  source: RowSource,
  keys: KeyColumns,
): Promise<void> {
  await givePlentyOfMemory(tx)
  // PostgreSQL thinks handing a row from one process to another dearer than working it out, which it is not here.
  await setLocally(tx, 'parallel_tuple_cost', '0.001')
  const letters = keys.purl.length > 0 ? await selectForeignLetters(tx, source, keys.purl) : []
  await createKeys(tx, account, row.id, source, keys, {
    // Within an import's own scope no contact of another import is ever the same.
    hashScope: row.purl_scope === 'import' ? `import ${row.id}: ` : '',
    spelling: spell(letters),
  })
}

function spell(letters: readonly string[]): Transliteration {
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
  // translate() drops the letters for which it has no counterpart, so these come last.
  spelling.from += dropped
  return spelling
}
