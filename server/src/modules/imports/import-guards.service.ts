import type { AccountId } from '@portico/contract/accounts'
import type { ImportDelimiter } from '@portico/contract/imports'
import { getExportSettings } from '#files'
import type { Db } from '#platform/database.ts'

const guardedDelimiters: readonly ImportDelimiter[] = ['comma', 'semicolon']

/** Whether exports of the account in this format guard formulas, so an import takes the apostrophes off again. */
export async function takesGuardsOff(db: Db, account: AccountId, delimiter: ImportDelimiter): Promise<boolean> {
  return guardedDelimiters.includes(delimiter) && (await getExportSettings(db, account)).guardFormulas
}
