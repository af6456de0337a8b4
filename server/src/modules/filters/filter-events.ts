import { fieldNameMaxLength } from '@portico/contract/contacts'
import { findEventField, readEventFieldName } from '@portico/domain/event-fields'
import { eventFields } from '@portico/contract/filter'
import { sql } from 'kysely'
import {
  type FieldResolver,
  type FilterField,
  fieldOf,
  invalidFilter,
  isObject,
  type SpecialField,
  type Sql,
  undeclaredField,
  unknownOperator,
} from './filter-field.ts'
import { compileInner } from './filter-match.ts'

/** How values of an account are interpreted: the collation of texts and the time zone of days. */
export type Reading = { textOrder: Sql; timeZone: string }

/**
 * Resolves the fields of events in a table aliased `alias`: the fields that every event has. Any other name is one of
 * the `details` recorded by an application, typed as the value it is compared with.
 */
export function eventResolver(alias: string, { textOrder, timeZone }: Reading): FieldResolver {
  return (written) => {
    const known = findEventField(written)
    if (known) {
      const type = eventFields[known]
      const column = sql.id(alias, known)
      // An empty text counts as no value, as everywhere.
      const value = type === 'string' && known !== 'event_code' ? sql`NULLIF(${column}, '')` : column
      return fieldOf(known, type, value, textOrder, timeZone)
    }
    const name = readEventFieldName(written)
    if (!name || name.startsWith('$') || name.length > fieldNameMaxLength || name.includes('\0')) return undefined
    return detailField(alias, name, textOrder)
  }
}

function detailField(alias: string, name: string, textOrder: Sql): FilterField {
  const details = sql.id(alias, 'details')
  const key = sql`${name}::text`
  const text = sql`NULLIF(${details} ->> ${key}, '')`
  const json = sql`CASE WHEN ${details} ->> ${key} <> '' THEN ${details} -> ${key} END`
  const kind = sql`jsonb_typeof(${details} -> ${key})`
  return undeclaredField(name, { text, json, kind, isOfEvent: true }, textOrder)
}

/** `events: {$elemMatch: {…}}`: contacts that have, in the table `events`, one event that meets all the conditions. */
export function eventsField(events: Sql, contactId: Sql, reading: Reading): SpecialField {
  const resolve = eventResolver('event_of', reading)
  return {
    name: 'events',
    of: [contactId],
    rows: {
      resolve,
      some: (condition, [id]) =>
        sql`EXISTS (SELECT FROM ${events} AS event_of WHERE event_of.contact_id = ${id} AND ${condition})`,
      summary: (condition, [id]) => sql`(
        SELECT json_build_object('all', count(*), 'meeting', count(*) FILTER (WHERE ${condition}),
          'latest', max(event_of.event_date) FILTER (WHERE ${condition}))
        FROM ${events} AS event_of WHERE event_of.contact_id = ${id})`,
    },
    compile(operator, argument, compilation, [id]) {
      if (operator !== '$elemMatch') throw unknownOperator(operator)
      if (!isObject(argument) || Object.keys(argument).length === 0) {
        throw invalidFilter('"$elemMatch" needs an object with at least one condition.')
      }
      const condition = compileInner(argument, resolve, compilation)
      return sql`${id} IN (
        SELECT event_of.contact_id FROM ${events} AS event_of WHERE ${condition})`
    },
  }
}
