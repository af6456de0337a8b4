import type { AccountId } from '@portico/contract/accounts'
import { areCodes } from '@portico/domain/code-numbers'
import { countUpFieldsVersion } from '#accounts'
import { type Db, inTransaction } from '#platform/database.ts'
import { selectSampleNumbers, updateHasCodes } from './field-codes.queries.ts'
import { selectFields } from './fields.queries.ts'

/** Contacts sampled at each end of the list: those of the first and of the last import. */
const sampledContacts = 2000

/**
 * Recognizes number fields whose values are codes, such as ids and years, after contacts were loaded. A field without
 * values stays unchanged.
 */
export async function recognizeCodes(db: Db, account: AccountId): Promise<void> {
  const numbers = (await selectFields(db, account)).filter(({ type }) => type === 'number')
  const changed: { id: number; hasCodes: boolean }[] = []
  for (const [part, fields] of Map.groupBy(numbers, (field) => field.part)) {
    const values = await selectSampleNumbers(db, account, part, fields, sampledContacts)
    for (const { id, name, has_codes: hadCodes } of fields) {
      const sample = values.get(id) ?? []
      const hasCodes = sample.length > 0 ? areCodes(name, sample) : hadCodes
      if (hasCodes !== hadCodes) changed.push({ id, hasCodes })
    }
  }
  if (changed.length === 0) return
  await inTransaction(db, async (tx) => {
    for (const { id, hasCodes } of changed) await updateHasCodes(tx, account, id, hasCodes)
    await countUpFieldsVersion(tx, account)
  })
}
