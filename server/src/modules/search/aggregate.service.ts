import type { Offer } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import {
  type QueryContext,
  compileAggregate,
  type ContactSource,
  endsInCount,
  type FilterField,
  outputOf,
  type PipelineOutput,
  thenSelect,
  userQuery,
} from '#filters'
import type { Db } from '#platform/database.ts'
import { mostReplyBytes, replyTooLarge } from '#platform/waits/reply-limit.ts'
import { selectCount, selectPipelineRows } from './aggregate.queries.ts'
import { type ContactRow, selectContacts, selectContactsById } from './contact-rows.queries.ts'
import { toOffers, toWire } from './offers.ts'

type Row = Record<string, unknown>

/** Which rows of a pipeline, in what order, with which of their columns; all unless given. */
type WantedRows = {
  columns?: readonly string[]
  sort?: Record<string, 1 | -1> | undefined
  limit: number
  skip: number
}

/**
 * The rows of a pipeline over the contacts. Contacts and events omit fields without a value, also where `columns` chooses
 * among them; rows of groups and projections have all their other columns, null where there is no value.
 * @throws invalid_filter, timed_out
 */
export async function readPipelineRows(
  context: QueryContext,
  source: ContactSource,
  stages: Stages,
  { columns = [], sort, ...page }: WantedRows,
): Promise<Row[]> {
  const output = compileOutput(source, thenSelect(stages, sort, columns))
  const read = (reader: Db) => readRows(reader, source.account, output, page)
  const rows = toRows(output, await userQuery(context, read, output.areas))
  const isChosenOfContacts = columns.length > 0 && compileOutput(source, stages).contactFields !== null
  return isChosenOfContacts ? rows.map(withoutNulls) : rows
}

const withoutNulls = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

/** The number of rows of a pipeline; for one that ends in `$count`, the number in its row. @throws as `readPipelineRows` */
export async function countPipelineRows(context: QueryContext, source: ContactSource, stages: Stages): Promise<number> {
  const output = compileOutput(source, stages)
  if (!endsInCount(stages)) return userQuery(context, (reader) => selectCount(reader, output.count()), output.areas)
  const select = output.select({ limit: 1, skip: 0 })
  const read = (reader: Db) => selectPipelineRows(reader, select, output.fields.length)
  const rows = await userQuery(context, read, output.areas)
  return Number(rows[0]?.[0] ?? 0)
}

const compileOutput = (source: ContactSource, stages: Stages): PipelineOutput =>
  outputOf(compileAggregate(stages, source), source)

/** Rows of a pipeline: its columns (for contacts, those after the id), and the contacts that the rows are about. */
type PipelineRows = { values: unknown[][]; contacts: ContactRow[] }

async function readRows(
  reader: Db,
  account: AccountId,
  output: PipelineOutput,
  page: { limit: number; skip: number },
): Promise<PipelineRows> {
  const { contactIds, contactFields } = output
  if (contactIds && contactFields) {
    const contacts = await selectContacts(reader, account, { ids: contactIds(page) }, contactFields)
    return { values: [], contacts }
  }
  const values = await selectPipelineRows(reader, output.select(page), output.fields.length)
  if (!contactFields) return { values, contacts: [] }
  // Several rows may be events of one contact.
  const ids = new Set(values.map(([id]) => String(id)))
  return { values, contacts: await selectContactsById(reader, account, [...ids], contactFields) }
}

function toRows(output: PipelineOutput, { values, contacts }: PipelineRows): Row[] {
  // Each row repeats the names.
  const names = output.fields.reduce((length, { name }) => length + name.length, 0)
  if (values.length * names > mostReplyBytes) throw replyTooLarge()
  if (!output.contactFields) return values.map((row) => toRow(output, row))
  const offers = toOffers(output.contactFields, contacts)
  if (!output.contactIds) return withColumns(output, values, offers)
  return output.hasId ? offers : offers.map(({ _id, ...offer }) => offer)
}

function toRow({ fields }: PipelineOutput, values: unknown[]): Row {
  const isAbsent = (field: FilterField, value: unknown) => value === null && isOfEvent(field)
  const columns = fields.map((field, at) => ({ field, value: values[at] }))
  return Object.fromEntries(
    columns.flatMap(({ field, value }) => (isAbsent(field, value) ? [] : [[field.name, toWire(field, value)]])),
  )
}

/** A field of events, by its own name or that of a projection. */
const isOfEvent = ({ name, variants }: FilterField): boolean => variants?.isOfEvent ?? /^events\./i.test(name)

/** Of a contact with many events, all its fields are in the row of each. @throws timed_out */
function requireSmall(rows: unknown[][], offers: Offer[]): void {
  if (rows.length <= offers.length) return
  const sizes = new Map(offers.map((offer) => [offer._id, JSON.stringify(offer).length]))
  const size = rows.reduce((sum, [id]) => sum + (sizes.get(String(id)) ?? 0), 0)
  if (size > mostReplyBytes) throw replyTooLarge()
}

/** Rows that are contacts with further columns, or their events. Contacts deleted in the meantime are left out. */
function withColumns(output: PipelineOutput, rows: unknown[][], offers: Offer[]): Row[] {
  const byId = new Map(offers.map((offer) => [offer._id, offer]))
  requireSmall(rows, offers)
  return rows.flatMap(([id, ...values]) => {
    const offer = byId.get(String(id))
    if (!offer) return []
    const { _id, ...contact } = offer
    const columns = output.fields
      .slice(1)
      .flatMap((field, at) => (values[at] === null ? [] : [[field.name, toWire(field, values[at])]]))
    return [{ ...(output.hasId && { _id }), ...contact, ...Object.fromEntries(columns) }]
  })
}
