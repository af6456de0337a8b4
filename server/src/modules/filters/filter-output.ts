import { eventFields } from '@portico/contract/filter'
import { sql } from 'kysely'
import { foldName } from '@portico/domain/names'
import type { ContactFilterField, ContactSource } from './contact-source.ts'
import { type FilterField, requireField, type Sql } from './filter-field.ts'
import { isCut, type Level, selectLevel, whereList } from './filter-level.ts'

/** The rows of a pipeline as a query, with their columns. */
export type PipelineOutput = {
  /** A page of the rows. Columns are called f0, f1 … in the order of `fields`. */
  select: (page: { limit: number; skip: number }) => Sql
  /** The number of rows, as `count`. */
  count: () => Sql
  fields: FilterField[]
  /**
   * Further contact fields to return, read by the id, which is the first of `fields`. Null if rows are not contacts.
   */
  contactFields: ContactFilterField[] | null
  /** The page as ids of contacts; null unless each row is a contact without computed fields. */
  contactIds: ((page: { limit: number; skip: number }) => Sql) | null
  /** Whether the id is returned. */
  hasId: boolean
  /** Areas of memory that the query holds at once (`Tally`). */
  areas: number
}

/** The output of a compiled pipeline. Contacts are selected by id; their fields are read for the page only. */
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
    areas: level.tally.areas,
    select: (page) =>
      selectLevel(
        level,
        // A value recorded by an application keeps its type.
        fields.map((field, at) => sql`${field.variants?.json ?? field.sql} AS ${sql.id(`f${at}`)}`),
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
