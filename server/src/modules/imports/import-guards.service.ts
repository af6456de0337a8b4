import type { AccountId } from '@portico/contract/accounts'
import type { ImportDelimiter } from '@portico/contract/imports'
import { getExportSettings } from '#files'
import type { Db } from '#platform/database.ts'

const guardedDelimiters: readonly ImportDelimiter[] = ['comma', 'semicolon']

/**
 * Returns whether exports of the account in this format guard formulas, in which case an import removes the
 * apostrophes. `delimiter` is null for a sheet of a workbook, in which texts are never formulas.
 */
export async function takesGuardsOff(db: Db, account: AccountId, delimiter: ImportDelimiter | null): Promise<boolean> {
  return (
    delimiter !== null && guardedDelimiters.includes(delimiter) && (await getExportSettings(db, account)).guardFormulas
  )
}
