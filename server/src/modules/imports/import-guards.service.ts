import type { AccountId } from '@portico/contract/accounts'
import type { ImportDelimiter } from '@portico/contract/imports'
import { getExportSettings } from '#files'
import type { Db } from '#platform/database.ts'

const guardedDelimiters: readonly ImportDelimiter[] = ['comma', 'semicolon']

/**
 * Whether exports of the account in this format guard formulas, so an import takes the apostrophes off again. `delimiter` is
 * null for a sheet of a workbook, in which no text is a formula.
 */
export async function takesGuardsOff(db: Db, account: AccountId, delimiter: ImportDelimiter | null): Promise<boolean> {
  return (
    delimiter !== null && guardedDelimiters.includes(delimiter) && (await getExportSettings(db, account)).guardFormulas
  )
}
