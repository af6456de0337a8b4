import { eventFields, type Stages } from '@portico/contract/filter'
import { sql } from 'kysely'
import {
  compileAggregate,
  compilePipeline,
  type ContactSource,
  type FilterField,
  invalidFilter,
  requireField,
  selectLevel,
  type Sql,
} from '#filters'
import { invalidField } from '#platform/app-error.ts'

/** What an export gives: the fields, in order, and which rows: contacts, or each event of them. */
export type ExportSelection = {
  fields: FilterField[]
  rows: 'contacts' | 'events'
  /** The query of the rows that match: `id` of the contact and `event_id`, in their order. */
  matching: () => Sql
  /** Whether their order is another than that of the contacts' ids. */
  isSorted: boolean
  /** Whether every contact is given, in no order in particular. */
  isEverything: boolean
  /** FROM's list for the file: what `fields` need, `contacts` and, of events, `event` among it. */
  written: () => Sql
}

type Field = (name: string) => FilterField | undefined

/**
 * Looks the fields up and compiles the filter. A field of events, or `{$unwind: "$events"}` in the filter, makes a row of
 * each event; contacts without any have none then.
 * @throws invalid_input naming a field that isn't there or is named twice; invalid_filter
 */
export function selectForExport(source: ContactSource, names: readonly string[], stages: Stages): ExportSelection {
  const filter = withoutNamesLeftOut(stages, names)
  const isOfEvents = names.some(isEventField) || filter.some((stage) => '$unwind' in stage)
  return isOfEvents ? selectEvents(source, names, filter) : selectContacts(source, names, filter)
}

function selectContacts(source: ContactSource, names: readonly string[], stages: Stages): ExportSelection {
  const written = source.scope()
  const fields = findFields(names, written.resolve)
  const matching = source.scope()
  const pipeline = compilePipeline(stages, matching.resolve, ['$match', '$sort', '$skip', '$limit', '$project'])
  // By name, since either comes from a query of its own.
  const given = pipeline.fields && new Set(pipeline.fields.map(({ name }) => name))
  requireGiven(fields.find(({ name }) => given && !given.has(name)))
  const { where, orderBy, skip, limit } = pipeline
  const order = orderBy ? sql`${orderBy}, contacts.id` : sql`contacts.id`
  return {
    fields,
    rows: 'contacts',
    matching: () => sql`
      SELECT contacts.id AS id, NULL::uuid AS event_id FROM ${matching.from()} WHERE ${where ?? sql`TRUE`}
      ORDER BY ${order} LIMIT ${limit}::bigint OFFSET ${skip}`,
    isSorted: orderBy !== null,
    isEverything: where === null && orderBy === null && skip === 0 && limit === null,
    written: written.from,
  }
}

const unwind = { $unwind: '$events' }
const eventStages = ['$match', '$sort', '$skip', '$limit']

function selectEvents(source: ContactSource, names: readonly string[], stages: Stages): ExportSelection {
  const projection = stages.find((stage) => '$project' in stage)
  const filter = stages.filter((stage) => stage !== projection)
  if (projection && stages.at(-1) !== projection) throw invalidFilter('"$project" has to stand last.')
  const at = filter.findIndex((stage) => '$unwind' in stage)
  // What is asked of contacts comes before, what is asked of their events after; a cut comes last in either.
  const parts = at < 0 ? [filter] : [filter.slice(0, at), filter.slice(at + 1)]
  for (const part of parts) requireEventStages(part)
  const level = compileAggregate(at < 0 ? [...filter, unwind] : filter, source)
  const id = requireField(level.resolve, '_id')
  const written = compileAggregate([unwind], source)
  const fields = findFields(names, (name) => (isNoEventField(name) ? undefined : written.resolve(name)))
  if (projection) requireProjected(projection, fields, level.resolve)
  return {
    fields,
    rows: 'events',
    matching: () => selectLevel(level, [sql`${id.sql} AS id`, sql`event.id AS event_id`]),
    isSorted: true,
    isEverything: false,
    written: written.from,
  }
}

function requireEventStages(stages: Stages): void {
  // One operator a stage; what is wrong with it is said when it is compiled.
  const operators = stages.map((stage) => Object.keys(stage)[0] ?? '')
  for (const [at, name] of operators.entries()) {
    if (!eventStages.includes(name)) throw invalidFilter(`Unknown Operator: "${name}"`)
    const before = operators[at - 1]
    if (before !== undefined && eventStages.indexOf(before) > eventStages.indexOf(name)) {
      throw invalidFilter(`"${name}" has to stand before "${before}".`)
    }
  }
}

function requireProjected(stage: Stages[number], fields: FilterField[], resolve: Field): void {
  const projection = stage['$project']
  const asked = typeof projection === 'object' && projection !== null ? Object.entries(projection) : []
  if (asked.length === 0) throw invalidFilter('"$project" needs an object.')
  const given = new Set<string>()
  for (const [name, choice] of asked) {
    if (choice !== 1 && choice !== true) throw invalidFilter(`"$project" of "${name}" is 1: it names what to give.`)
    if (name.toLowerCase() === 'events') for (const event of Object.keys(eventFields)) given.add(`events.${event}`)
    else given.add(requireField(resolve, name).name)
  }
  requireGiven(fields.find(({ name }) => !given.has(name)))
}

function requireGiven(missing: FilterField | undefined | false): void {
  if (missing) throw invalidFilter(`"$project" leaves out "${missing.name}", which is to be exported.`)
}

function findFields(names: readonly string[], find: Field): FilterField[] {
  const fields = names.map((name) => {
    const field = find(name)
    if (!field) throw invalidField('exportFields', `Value is invalid! There is no field "${name}".`)
    return field
  })
  const seen = new Set<string>()
  for (const { name } of fields) {
    if (seen.has(name)) throw invalidField('exportFields', `Value is duplicate! "${name}" is named twice.`)
    seen.add(name)
  }
  return fields
}

function isEventField(name: string): boolean {
  return /^events\./i.test(name)
}

/** What applications record of their own has no name that could stand in a COPY, which takes no parameters. */
function isNoEventField(name: string): boolean {
  return isEventField(name) && !Object.hasOwn(eventFields, name.slice('events.'.length).toLowerCase())
}

/** A projection may also say what not to give; the fields are named anyway, so it only must not name one of them. */
function withoutNamesLeftOut(stages: Stages, names: readonly string[]): Stages {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return stages.filter((stage) => {
    const projection = stage['$project']
    if (typeof projection !== 'object' || projection === null || Array.isArray(projection)) return true
    const entries = Object.entries(projection)
    if (entries.length === 0 || !entries.every(([, choice]) => choice === 0 || choice === false)) return true
    const left = entries.find(([name]) => wanted.has(name.toLowerCase()))
    if (left) throw invalidFilter(`"$project" leaves out "${left[0]}", which is to be exported.`)
    return false
  })
}
