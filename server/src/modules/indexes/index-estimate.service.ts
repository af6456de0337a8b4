import type { AccountId } from '@portico/contract/accounts'
import type { FieldIndex, IndexEstimate, IndexState } from '@portico/contract/indexes'
import { type ContactField, fieldsReadOfAll, hasMoreContacts, listContactFields, readableFields } from '#contacts'
import { type QueryContext, userQuery } from '#filters'
import type { Caller } from '#platform/http/context.ts'
import { findKeyFields } from './index-key.ts'
import { type ColumnSample, selectColumnSample } from './index-statistics.queries.ts'
import { selectIndexes } from './indexes.queries.ts'

const sampleRows = 20_000

// An entry of a B-tree: header and line pointer, and the value in steps of eight bytes; pages are filled to nine tenths.
const entryBytes = 12
const fillFactor = 0.9
// A duplicate value costs only its row pointer, except for numbers: 0 and -0 are equal but not identical, so PostgreSQL does
// not deduplicate them.
const repeatedBytes = 6

// Measured on two cores, 1,000,000 contacts (ADR 0030). Text takes longer, as it is compared by a collation.
const secondsPerRow = { string: 5e-6, number: 1.8e-6, boolean: 1.8e-6, date: 1.8e-6, day: 1.8e-6 }
// "Starts with" uses a separate index, which compares byte by byte.
const prefixSecondsPerRow = 1.5e-6
const startSeconds = 0.2

type Asking = QueryContext & { caller: Pick<Caller, 'can' | 'rows'> }

/**
 * Estimates the size and build time of an index of these fields, from the number of contacts and a sample.
 * @throws invalid_input like `createIndex`, also for a field that the caller may not read of all contacts; timed_out
 */
export async function estimateIndex(
  context: Asking,
  account: AccountId,
  names: readonly string[],
): Promise<IndexEstimate> {
  const { db, caller } = context
  const fields = findKeyFields(await fieldsReadOfAll(caller, await listContactFields(db, account)), names)
  const [first] = fields
  const indexes = first?.type === 'string' ? [fields, [first]] : [fields]
  const samples = await userQuery(context, async (tx) => {
    const found: ColumnSample[] = []
    for (const columns of indexes) found.push(await selectColumnSample(tx, account, columns, sampleRows))
    return found
  })
  const rows = samples[0]?.rows ?? 0
  const bytes = samples.reduce((total, sample, at) => total + sizeOf(sample, indexes[at] ?? []), 0)
  return {
    rows,
    sizeBytes: Math.round(bytes),
    buildSeconds: Math.round((startSeconds + rows * secondsPerRowOf(fields)) * 10) / 10,
  }
}

function secondsPerRowOf(fields: readonly ContactField[]): number {
  const prefix = fields[0]?.type === 'string' ? prefixSecondsPerRow : 0
  return fields.reduce((total, { type }) => total + secondsPerRow[type], prefix)
}

const quickSeconds = 5

/** The most usable first. */
const states: IndexState[] = ['ready', 'building', 'deleting', 'failed']

/**
 * Returns whether a field has an index, and whether one would be built in less than five seconds. The time follows from the
 * number of contacts and the field's type, without reading values, so it is fast enough for the filter builder.
 * @throws invalid_input for a field that cannot be indexed, or that the caller may not read; timed_out
 */
export async function getFieldIndex(context: Asking, account: AccountId, name: string): Promise<FieldIndex> {
  const readable = await readableFields(context.caller, await listContactFields(context.db, account))
  const fields = findKeyFields(readable, [name])
  const indexes = (await selectIndexes(context.db, account)).filter((index) => index.field_1 === fields[0]?.id)
  // A failed index of two fields, or of unique values, says nothing about a plain index of the field.
  const counted = indexes.filter((index) => index.state !== 'failed' || !(index.is_unique || index.field_2 !== null))
  const mostContacts = Math.floor((quickSeconds - startSeconds) / secondsPerRowOf(fields))
  const isLarge = await userQuery(context, (reader) => hasMoreContacts(reader, account, mostContacts))
  return {
    state: states.find((state) => counted.some((index) => index.state === state)) ?? null,
    isQuick: !isLarge,
  }
}

function sizeOf({ rows, bytes, distinct }: ColumnSample, fields: readonly ContactField[]): number {
  const entry = entryBytes + Math.ceil(bytes / 8) * 8
  const isMerged = fields.every(({ type }) => type !== 'number')
  const perRow = isMerged ? distinct * entry + (1 - distinct) * repeatedBytes : entry
  return (rows * perRow) / fillFactor
}
