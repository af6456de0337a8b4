import { eventFields } from '@portico/contract/filter'
import { sql } from 'kysely'
import { foldName } from '#contacts'
import type { ContactFilterField, ContactSource } from './contact-source.ts'
import { type FilterField, requireField, type Sql } from './filter-field.ts'
import { isCut, type Level, selectLevel, whereList } from './filter-level.ts'

/** The rows that a pipeline gives, as a query, and what its columns are. */
export type PipelineOutput = {
  /** A page of the rows; columns are called f0, f1 … in the order of `fields`. */
  select: (page: { limit: number; skip: number }) => Sql
  /** How many rows there are, as `count`. */
  count: () => Sql
  fields: FilterField[]
  /**
   * Fields of contacts that are given besides, to be read by the id that is the first of `fields`; null where rows are
   * no contacts.
   */
  contactFields: ContactFilterField[] | null
  /** The same page as the ids of contacts, where each row is one and nothing is computed; null otherwise. */
  contactIds: ((page: { limit: number; skip: number }) => Sql) | null
  /** Whether the id is among what is given. */
  hasId: boolean
}

/** What a compiled pipeline gives. Contacts are given by id: reading whole rows is for who has the page. */
export function outputOf(level: Level, source: ContactSource): PipelineOutput {
  const fields = outputFields(level)
  const names = new Set([...level.without, ...fields.map(({ name }) => foldName(name))])
  const [id] = fields
  return {
    fields,
    contactIds:
      level.kind === 'contacts' && fields.length === 1 && id
        ? (page) => selectLevel(level, [sql`${id.sql} AS id`], page)
        : null,
    contactFields:
      level.kind === 'rows'
        ? null
        : [...source.imported, ...source.internal].filter(({ name }) => !names.has(foldName(name))),
    hasId: !level.without.has('_id'),
    select: (page) =>
      selectLevel(
        level,
        fields.map((field, at) => sql`${field.sql} AS ${sql.id(`f${at}`)}`),
        page,
      ),
    count: () =>
      isCut(level)
        ? sql`SELECT count(*)::float8 AS count FROM (${selectLevel(level, [sql`TRUE`])}) AS counted`
        : sql`SELECT count(*)::float8 AS count FROM ${level.from()} ${whereList(level.where)}`,
  }
}

function outputFields(level: Level): FilterField[] {
  if (level.kind === 'rows') return level.columns.map((name) => requireField(level.resolve, name))
  const isGiven = (name: string) => !level.without.has('events') && !level.without.has(name)
  const events =
    level.kind === 'events'
      ? Object.keys(eventFields)
          .map((name) => `events.${name}`)
          .filter(isGiven)
      : []
  return ['_id', ...events, ...level.added].map((name) => requireField(level.resolve, name))
}
