import { findEventField, readEventFieldName } from '@portico/domain/event-fields'
import type { Stages } from '@portico/contract/filter'
import { messages } from '@portico/contract/messages'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { sql } from 'kysely'
import {
  compileAggregate,
  compileEventRows,
  compilePipeline,
  type ContactSource,
  dropExclusions,
  type FilterField,
  type FilterType,
  leftOut,
  pageStages,
  requireField,
  selectLevel,
  type Sql,
} from '#filters'
import { invalidField } from '#platform/app-error.ts'

/** A column stored for the matching rows before the file is written. */
type KeptColumn = {
  name: string
  type: 'bigint' | 'uuid' | 'text' | 'double precision' | 'boolean' | 'timestamptz' | 'date'
}

/**
 * Selection of an export: the columns of its file, in order, and its rows: contacts, each of their events, or groups.
 */
export type ExportSelection = {
  /** Fields as read in `written`. */
  fields: FilterField[]
  /** Columns stored for a matching row, in the order in which `matching` selects them. */
  kept: KeptColumn[]
  /** Bytes that the stored values of a row take in the file, by their names in `kept`; null where only ids are stored. */
  keptBytes: Sql | null
  /** The query of the matching rows, in order. */
  matching: () => Sql
  /** True when the order differs from that of the contacts' ids. */
  isSorted: boolean
  /** True when every contact is exported in no particular order: then no rows are stored. */
  isEverything: boolean
  /** Areas of memory that `matching` holds at once (`Tally`). */
  areas: number
  /** FROM list for the file; `matched` has the stored columns. */
  written: (matched: Sql) => Sql
}

type Field = (name: string) => FilterField | undefined

/**
 * Looks up the fields and compiles the filter. A `$group` makes a row of each group, with `names` as columns. A field
 * of events, or `{$unwind: "$events"}`, makes a row of each event; contacts without events then have no row.
 * `eventNames` are the custom event fields recorded so far.
 * @throws invalid_input naming a field that does not exist or is named twice; invalid_filter
 */
export function selectForExport(
  sources: ExportSources,
  names: readonly string[],
  stages: Stages,
  eventNames: ReadonlySet<string>,
): ExportSelection {
  if (readRowKind(parsePipeline(stages)) === 'groups') return selectGroups(sources, names, stages)
  const filter = dropExclusions(stages, names)
  const isOfEvents = names.some(isEventField) || readRowKind(parsePipeline(filter)) === 'events'
  return isOfEvents ? selectEvents(sources, names, filter, eventNames) : selectContacts(sources, names, filter)
}

/**
 * Sources of contacts for the filter and for the columns of the file. The latter has no row rule: only matching rows
 * are written, and COPY takes no parameters, which a row rule would need.
 */
type ExportSources = { filtered: ContactSource; written: ContactSource }

function selectContacts(sources: ExportSources, names: readonly string[], stages: Stages): ExportSelection {
  const written = sources.written.scope()
  const fields = findFields(names, written.resolve)
  const matching = sources.filtered.scope()
  const pipeline = compilePipeline(stages, matching.resolve, pageStages)
  // By name, since the two come from separate queries.
  const given = pipeline.fields && new Set(pipeline.fields.map(({ name }) => name))
  const missing = fields.find(({ name }) => given && !given.has(name))
  if (missing) throw leftOut(missing.name)
  const { where, orderBy, skip, limit } = pipeline
  const order = orderBy ? sql`${orderBy}, contacts.id` : sql`contacts.id`
  const isEverything =
    !sources.filtered.isRestricted && where === null && orderBy === null && skip === 0 && limit === null
  return {
    fields,
    kept: [{ name: 'id', type: 'bigint' }],
    keptBytes: null,
    matching: () => sql`
      SELECT contacts.id AS id FROM ${matching.from()} WHERE ${where ?? sql`TRUE`}
      ORDER BY ${order} LIMIT ${limit}::bigint OFFSET ${skip}`,
    isSorted: orderBy !== null,
    areas: 1,
    isEverything,
    written: (matched) =>
      isEverything ? written.from() : sql`${written.from()} JOIN ${matched} ON matched.id = contacts.id`,
  }
}

function selectEvents(
  sources: ExportSources,
  names: readonly string[],
  stages: Stages,
  eventNames: ReadonlySet<string>,
): ExportSelection {
  const { level, requireGiven } = compileEventRows(stages, sources.filtered)
  const { level: written } = compileEventRows([], sources.written)
  const own = keepFields(
    names
      .filter((name) => isOwnEventField(name) && eventNames.has(eventNameOf(name)))
      .map((name) => requireField(level.resolve, name)),
  )
  const fields = findFields(names, (name) => (isOwnEventField(name) ? own.find(name) : written.resolve(name)))
  requireGiven(fields.map(({ name }) => name))
  return {
    fields,
    kept: [{ name: 'event_id', type: 'uuid' }, ...own.kept],
    keptBytes: own.kept.length > 0 ? own.bytes : null,
    matching: () => selectLevel(level, [sql`event.id AS event_id`, ...own.values]),
    isSorted: true,
    areas: level.tally.areas,
    isEverything: false,
    written: (matched) => sql`${written.from()} JOIN ${matched} ON matched.event_id = event.id`,
  }
}

function selectGroups({ filtered }: ExportSources, names: readonly string[], stages: Stages): ExportSelection {
  const level = compileAggregate(stages, filtered)
  const found = findFields(names, level.resolve, (name) => {
    const columns = level.columns.slice(0, namedAtMost).map((column) => `"${column}"`)
    return `The groups have no column "${name}", but ${columns.join(', ')}.`
  })
  const groups = keepFields(found)
  return {
    fields: groups.fields.map((field) => (field.type === 'number' ? { ...field, sql: shownNumber(field.sql) } : field)),
    kept: groups.kept,
    keptBytes: groups.bytes,
    matching: () => selectLevel(level, groups.values),
    isSorted: true,
    areas: level.tally.areas,
    isEverything: false,
    written: (matched) => matched,
  }
}

/** `shownNumber` of the domain in SQL: a number becomes a numeric with 15 significant digits. */
const shownNumber = (value: Sql): Sql =>
  sql`CASE WHEN ${value} = trunc(${value}) THEN ${value} ELSE ${value}::numeric::double precision END`

/** Maximum number of columns named in a message. */
const namedAtMost = 10

const keptTypes: Record<FilterType, KeptColumn['type']> = {
  string: 'text',
  number: 'double precision',
  boolean: 'boolean',
  date: 'timestamptz',
  day: 'date',
  id: 'bigint',
}

/** Maximum number of values in a stored row: it must fit into one page of the database, whatever the types. */
const maxKept = 400

/** Bytes of a stored row, and of each number, date or reference in it. */
const rowBytes = 40
const valueBytes = 8

/**
 * Fields whose values are stored with the matching rows. COPY, which writes the file, takes no parameters, so it cannot
 * compute values that depend on the filter or on a name given by a user. Fields with the same value share a column.
 */
function keepFields(requested: FilterField[]) {
  if (requested.length > maxKept)
    throw invalidField('exportFields', `An export can have at most ${maxKept} custom event fields or group columns.`)
  const values = [...new Set(requested.map((field) => field.sql))]
  const column = (value: Sql) => `f${values.indexOf(value)}`
  const fields = requested.map((field): FilterField => ({ ...field, sql: sql.id('matched', column(field.sql)) }))
  // By the fields, not the columns: the file repeats a value that is stored once.
  const texts = requested.filter(({ type }) => type === 'string')
  const lengths = texts.map((field) => sql`coalesce(octet_length(${sql.id(column(field.sql))}), 0)`)
  const fixed = sql`${sql.lit(rowBytes + valueBytes * requested.length)}::float8`
  return {
    /** As read by the file. */
    fields,
    find: (name: string) => fields.find((field) => field.name === `events.${eventNameOf(name)}`),
    kept: values.map((value): KeptColumn => {
      const type = requested.find((field) => field.sql === value)?.type ?? 'string'
      return { name: column(value), type: keptTypes[type] }
    }),
    bytes: sql.join([fixed, ...lengths], sql` + `),
    /** As selected for storing. */
    values: values.map((value) => sql`${value} AS ${sql.id(column(value))}`),
  }
}

function findFields(
  names: readonly string[],
  find: Field,
  missing = (name: string) => `There is no field "${name}".`,
): FilterField[] {
  const fields = names.map((name) => {
    const field = find(name)
    if (!field) throw invalidField('exportFields', `Value is invalid! ${missing(name)}`)
    return field
  })
  const seen = new Set<string>()
  for (const { name } of fields) {
    if (seen.has(name)) throw invalidField('exportFields', `${messages.duplicate} "${name}" is named twice.`)
    seen.add(name)
  }
  return fields
}

export function isEventField(name: string): boolean {
  return /^events\./i.test(name)
}

/** The name of an event field as it is kept; a name with white space around it stays, and is none. */
export function eventNameOf(name: string): string {
  const written = name.slice('events.'.length)
  return readEventFieldName(written) ?? written
}

/** Returns true for custom event fields, false for those that every event has. */
export function isOwnEventField(name: string): boolean {
  return isEventField(name) && !findEventField(eventNameOf(name))
}
