import type { Offer } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/identity'
import type { OffersQuery } from '@portico/contract/list-query'
import { type Asker, compileAggregate, type ContactSource, outputOf, type PipelineOutput, userQuery } from '#filters'
import type { Db } from '#platform/database.ts'
import { readOffers, readOffersOf, toWire } from './offers.service.ts'
import { selectCount, selectPipelineRows } from './search.queries.ts'
import { readSelection } from './selection.ts'

type Row = Record<string, unknown>

/**
 * What a pipeline makes of the contacts, or how much it is: the number of its rows, or the one that its last stage counts.
 * Contacts are given as everywhere, without what they have no value for; rows of groups and projections have all their
 * columns, null where there is no value.
 * @throws invalid_filter, timed_out, invalid_input for a `select` that cannot be read
 */
export async function aggregateOffers(
  asker: Asker,
  account: AccountId,
  source: ContactSource,
  stages: Stages,
  query: OffersQuery,
): Promise<Row[] | { count: number }> {
  const output = outputOf(compileAggregate([...stages, ...stagesOf(query)], source), source)
  const isCounted = Object.hasOwn(stages.at(-1) ?? {}, '$count')
  return userQuery(asker, async (tx) => {
    if (query.count !== undefined && !isCounted) return { count: await selectCount(tx, output.count()) }
    if (query.count === undefined && output.contactIds && output.contactFields) {
      const offers = await readOffersOf(tx, account, output.contactFields, { ids: output.contactIds(query) })
      return output.hasId ? offers : offers.map(({ _id, ...offer }) => offer)
    }
    const values = await selectPipelineRows(tx, output.select(query), output.fields.length)
    if (query.count !== undefined) return { count: Number(values[0]?.[0] ?? 0) }
    return output.contactFields ? withContacts(tx, account, output, values) : values.map((row) => wholeRow(output, row))
  })
}

/** What the query asks for beside the pipeline, as stages of it. */
function stagesOf({ sort, select, count }: OffersQuery): Stages {
  const names = select === undefined || count !== undefined ? [] : readSelection(select)
  return [
    ...(sort && count === undefined ? [{ $sort: sort }] : []),
    ...(names.length > 0 ? [{ $project: Object.fromEntries(names.map((name) => [name, 1])) }] : []),
  ]
}

function wholeRow({ fields }: PipelineOutput, values: unknown[]): Row {
  return Object.fromEntries(fields.map((field, at) => [field.name, toWire(field, values[at])]))
}

/** Rows that are contacts, or their events: the contact's own fields are read for the page alone. */
async function withContacts(db: Db, account: AccountId, output: PipelineOutput, rows: unknown[][]): Promise<Row[]> {
  const ids = new Set(rows.map(([id]) => String(id)))
  const offers = new Map<string, Offer>()
  for (const offer of await readOffers(db, account, output.contactFields ?? [], [...ids])) offers.set(offer._id, offer)
  return rows.flatMap(([id, ...values]) => {
    const offer = offers.get(String(id))
    if (!offer) return []
    const { _id, ...contact } = offer
    const more = output.fields
      .slice(1)
      .flatMap((field, at) => (values[at] === null ? [] : [[field.name, toWire(field, values[at])]]))
    return [{ ...(output.hasId && { _id }), ...contact, ...Object.fromEntries(more) }]
  })
}
