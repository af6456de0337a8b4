import type { AccountId } from '@portico/contract/accounts'
import type { ReviewOutcome } from '@portico/contract/import-review'
import { fieldsReadOfAll, listContactFields } from '#contacts'
import { duplicateReason, listUniqueIndexes, withoutExample } from '#indexes'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { maySearchBy } from '#search'
import { withoutStoredValues } from '../import-reason.ts'
import { findNamingFields, keyFields, selectNames } from './naming-fields.service.ts'
import type { ReviewRow } from './review.queries.ts'

export type ReviewReader = Pick<Caller, 'can' | 'rows'>

/** Returns whether the reader sees all contacts, and may read all of these fields and search by them. */
async function seesAll(reader: ReviewReader, fields: readonly { name: string }[]): Promise<boolean> {
  return maySearchBy(reader, []) && (await fieldsReadOfAll(reader, fields)).length === fields.length
}

/**
 * Returns the part of an outcome that the reader may know. A file can have a guessed value for each contact: how many
 * of them it would change then tells which guesses are right. These counts, and the contacts of the examples, are for
 * readers who could search all contacts by all fields of the file. The counts of a field are for those who may read it;
 * how many of its values would change also for those who may read the keys, since contacts are found by these.
 */
export async function outcomeForReader(
  db: Db,
  account: AccountId,
  { outcome, settings }: Pick<ReviewRow, 'outcome' | 'settings'>,
  reader: ReviewReader,
): Promise<ReviewOutcome | null> {
  if (!outcome) return null
  if (!(await seesAll(reader, outcome.fields))) {
    const fields = await fieldsReadOfAll(reader, outcome.fields)
    if (
      await seesAll(
        reader,
        keyFields(settings).map((name) => ({ name })),
      )
    )
      return { ...outcome, ...unknown, fields }
    return { ...outcome, ...unknown, fields: fields.map((field) => ({ ...field, changed: null })) }
  }
  const naming = await findNamingFields(db, account, { outcome, settings, reader })
  const values = await selectNames(db, account, outcome, naming)
  return {
    ...outcome,
    updated: outcome.updated.flatMap(({ contact, changes }) => {
      const named = values.get(contact)
      return named ? [{ contact, named, changes }] : []
    }),
    namingFields: naming.map(({ name }) => name),
  }
}

const unknown = {
  createdRecords: null,
  updatedRecords: null,
  unchangedRecords: null,
  created: [],
  updated: [],
  namingFields: [],
} satisfies Partial<ReviewOutcome>

/**
 * Returns why the import would be rejected, or why the last attempt failed; without values of contacts, unless the
 * reader may search all contacts by the fields that have them.
 */
export async function reasonForReader(
  db: Db,
  account: AccountId,
  { recovery_error: reason }: Pick<ReviewRow, 'recovery_error'>,
  reader: ReviewReader,
): Promise<string | null> {
  if (reason === null) return null
  const short = withoutStoredValues(reason)
  if (short === reason || (await seesAll(reader, await fieldsInReason(db, account, reason)))) return reason
  return short
}

/** The fields whose values a reason may have: those of the unique index that it names, otherwise any. */
async function fieldsInReason(db: Db, account: AccountId, reason: string): Promise<{ name: string }[]> {
  const start = withoutExample(reason)
  const broken = (await listUniqueIndexes(db, account)).find(({ name, fields }) => {
    const names = fields.map((field) => field.name)
    return withoutExample(duplicateReason({ name, fields: names, values: '' })) === start
  })
  return broken?.fields ?? listContactFields(db, account)
}
