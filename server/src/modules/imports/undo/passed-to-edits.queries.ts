import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { accountTimeZone } from '#accounts'
import { valueText } from '#contacts'
import { accountTable, type Db } from '#platform/database.ts'
import type { ImportPlan } from '../import-plan.ts'
import { mark, readWidened } from './change-texts.ts'
import { type LaterEdits, type LaterPlace, recordedLater } from './later-records.queries.ts'
import { placeOf } from './record-changes.queries.ts'

type Sql = RawBuilder<unknown>

/**
 * Passes the values from before an import on to the edits and merges that were the next to change the values it wrote: their
 * undos lead to these values. A value that was changed in between stays.
 */
export async function passToEdits(
  db: Db,
  account: AccountId,
  { importId, plan, contacts }: { importId: number; plan: Pick<ImportPlan, 'columns'>; contacts: readonly string[] },
  { places, edits }: { places: readonly LaterPlace[]; edits: LaterEdits },
): Promise<void> {
  const changes = accountTable(account, 'import_changes')
  const fields = plan.columns.map(({ field }) => field)
  const returns = passedOn(await accountTimeZone(db, account))
  await edits.passOn(
    db,
    account,
    sql`
    WITH next AS MATERIALIZED (
      SELECT DISTINCT ON (contact_id, field) *
      FROM (${edits.standing(account, sql`${sql.val(contacts)}::bigint[]`)}) AS e
      WHERE last_import >= ${importId}::integer ORDER BY contact_id, field, id
    ), own AS (
      SELECT next.id, next.place, next.returns, p.type,
        (array_agg(r.before[p.place] ORDER BY r.batch))[1] AS before,
        (array_agg(r.after[p.place] ORDER BY r.batch DESC))[1] AS after
      FROM next
      JOIN unnest(${fields.map(({ id }) => id)}::integer[], ${fields.map(({ type }) => type)}::text[],
        ${fields.map((_, at) => placeOf.firstColumn + at)}::integer[]) AS p (field, type, place) ON p.field = next.field
      JOIN ${changes} AS r ON r.contact_id = next.contact_id AND r.import_id = ${importId}::integer
        AND r.after[p.place] IS NOT NULL
      WHERE NOT ${recordedLater(account, { importId, places }, { contact: sql`next.contact_id`, place: sql`p.place`, upTo: sql`next.last_import` })}
      GROUP BY next.id, next.place, next.returns, p.type
    )
    SELECT id, place, passed AS returns FROM (SELECT own.id, own.place, ${returns} AS passed FROM own) AS found
    WHERE passed IS NOT NULL`,
  )
}

/** The types in which a value may be by now, that of the import first: imports widen fields. */
const types: Record<FieldType, readonly FieldType[]> = {
  string: ['string'],
  number: ['number', 'string'],
  boolean: ['boolean', 'string'],
  // The text of a moment and of a day is that of their JSON.
  date: ['date'],
  day: ['day', 'date'],
}

/** SQL for the JSON of the value before an import, where the edit changed the one that it wrote; null elsewhere. */
function passedOn(timeZone: string): Sql {
  const cases = (['string', 'number', 'boolean', 'date', 'day'] as const).map((stored) => {
    const options = types[stored].map((type) => {
      const json = (text: Sql): Sql => jsonOf(readWidened(text, { stored, type, timeZone }), type)
      const isWritten =
        stored === 'string'
          ? sql`jsonb_typeof(own.returns) = 'string' AND ${mark(sql`(own.returns #>> '{}')`, 'string')} = own.after`
          : sql`own.returns = ${json(sql`own.after`)}`
      return sql`WHEN ${isWritten} THEN coalesce(${json(sql`own.before`)}, 'null'::jsonb)`
    })
    return sql`WHEN ${stored} THEN CASE ${sql.join(options, sql` `)} END`
  })
  return sql`CASE own.type ${sql.join(cases, sql` `)} END`
}

/** SQL for the JSON of a value, as changes by people have it. */
const jsonOf = (value: Sql, type: FieldType): Sql =>
  type === 'number' || type === 'boolean' ? sql`to_jsonb(${value})` : sql`to_jsonb(${valueText(value, type)}::text)`
