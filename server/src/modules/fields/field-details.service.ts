import type { AccountId } from '@portico/contract/accounts'
import type { FieldDetails, FieldUse } from '@portico/contract/fields'
import type { Stages } from '@portico/contract/filter'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import { countWrittenTexts, rowsOfFields, toContactField, valueText } from '#contacts'
import { openContactSource, userQuery } from '#filters'
import { savedPipelines } from '#saved-filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type FieldUses, unusedName } from '#platform/rows/field-uses.ts'
import type { Caller } from '#platform/http/context.ts'
import { countValues, readFrequentValues } from './field-values.ts'
import { requireField } from './found-field.ts'
import { shownName } from './shown-uses.ts'

type Asking = {
  db: Db
  signal?: AbortSignal
  caller: Caller
  rows: Stages | null
  uses: readonly FieldUses[]
}

/** Counts the values of a field among the contacts of which the caller may read it. @throws not_found, timed_out */
export async function getFieldDetails(
  { db, signal, caller, rows: visible, uses }: Asking,
  account: AccountId,
  id: string,
): Promise<FieldDetails> {
  const field = await requireField(db, account, caller, id)
  const rows = everyRule(visible, rowsOfFields(caller, [field.name]))
  const { scope } = await openContactSource(db, account, { rows, isOwnQuery: true, facts: caller.facts })
  const { resolve, from } = scope()
  const found = resolve(field.name)
  if (!found) throw new AppError('not_found')
  const text = valueText(found.sql, field.type)
  // One after the other: they share a connection.
  const counted = await userQuery({ db, ...(signal && { signal }) }, async (reader) => ({
    ...(await countValues(reader, from(), found.sql)),
    examples: await readFrequentValues(reader, from(), { value: found.sql, text }),
  }))
  const written = rows === null ? await countWrittenTexts(db, account, toContactField(field)) : null
  return { ...counted, written, uses: await listUses({ db, caller, uses }, account, field.name) }
}

/** The stored things that name a field. */
async function listUses(
  { db, caller, uses }: Pick<Asking, 'db' | 'caller' | 'uses'>,
  account: AccountId,
  name: string,
): Promise<FieldUse[]> {
  const rename = { from: name, to: unusedName, ...savedPipelines(db, account) }
  const all: FieldUse[] = []
  for (const { kind, find } of uses) {
    for (const found of await find(db, account, rename)) {
      all.push({ kind, name: shownName(caller, found.name) })
    }
  }
  return all
}
