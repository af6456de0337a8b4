import type { AccountId } from '@portico/contract/accounts'
import type { ReviewOutcome } from '@portico/contract/import-review'
import { findByName, isSameName } from '@portico/domain/names'
import {
  type ContactField,
  fieldsReadOfAll,
  listContactFields,
  selectContactValues,
  selectKnownContacts,
} from '#contacts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { ReviewSettings } from './review.queries.ts'

/** A field that exists, or one that the import would add. */
type NamingField = { name: string; existing: ContactField | null }

/** The number of fields whose values are the name of a contact on all screens. */
const fieldsOfName = 2
/** They are found among the first fields: an account may have thousands. */
const mostChecked = 100

type Reviewed = {
  outcome: Pick<ReviewOutcome, 'fields'>
  settings: Pick<ReviewSettings, 'dedup_columns' | 'column_mapping'>
  reader: Pick<Caller, 'can' | 'rows'>
}

/** Returns the fields by which people recognize a contact: the first two that the reader may read, then the keys. */
export async function findNamingFields(
  db: Db,
  account: AccountId,
  { outcome, settings, reader }: Reviewed,
): Promise<NamingField[]> {
  const existing = await listContactFields(db, account)
  const added = outcome.fields.filter(({ isNew }) => isNew)
  const all: NamingField[] = [
    ...existing.map((field) => ({ name: field.name, existing: field })),
    ...added.map(({ name }) => ({ name, existing: null })),
  ]
  const keys = keyFields(settings)
  const find = findByName(all, ({ name }) => name)
  const leading = (await fieldsReadOfAll(reader, all.slice(0, mostChecked))).slice(0, fieldsOfName)
  const others = keys.flatMap((key) => find(key) ?? []).filter((field) => !leading.includes(field))
  return [...leading, ...(await fieldsReadOfAll(reader, others))]
}

/** Names of the fields that the dedup columns feed; a column may be named by its field. */
export function keyFields({ dedup_columns: columns, column_mapping: mapping }: Reviewed['settings']): string[] {
  const targets = Object.entries(mapping ?? {})
  return columns.map((name) => targets.find(([column]) => isSameName(column, name))?.[1] ?? name)
}

const mostLetters = 200

/** Returns the values of naming fields of the contacts that would be changed, as texts, unless they were deleted. */
export async function selectNames(
  db: Db,
  account: AccountId,
  { updated }: Pick<ReviewOutcome, 'updated'>,
  naming: readonly NamingField[],
): Promise<Map<string, Record<string, string>>> {
  const fields = naming.flatMap(({ existing }) => existing ?? [])
  const ids = [...new Set(updated.map(({ contact }) => contact))]
  const found = new Map<string, Record<string, string>>()
  for (const id of await selectKnownContacts(db, account, ids)) {
    const values = await selectContactValues(db, account, id, fields)
    const texts = fields.flatMap(({ name, column }): [string, string][] => {
      const value = values.get(column)
      return value === null || value === undefined ? [] : [[name, shortened(String(value))]]
    })
    found.set(id, Object.fromEntries(texts))
  }
  return found
}

const shortened = (text: string): string =>
  text.length > mostLetters ? `${text.slice(0, mostLetters).toWellFormed()}…` : text
