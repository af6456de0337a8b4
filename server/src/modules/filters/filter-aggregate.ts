import { internalFieldNames } from '@portico/contract/contacts'
import { eventFields, type Stages } from '@portico/contract/filter'
import { type PipelineStage, pipelineStages } from '@portico/contract/filter-stages'
import { sql } from 'kysely'
import { findByName, foldName, foldText } from '@portico/domain/names'
import type { ContactSource } from './contact-source.ts'
import { eventResolver } from './filter-events.ts'
import { compileExpression } from './filter-expression.ts'
import { type FilterField, invalidFilter, isObject, requireField, resolverOf, type Tally } from './filter-field.ts'
import { countLevel, groupLevel, requireNames } from './filter-group.ts'
import { isCut, type Level, wrapLevel } from './filter-level.ts'
import { compileMatches, newTally } from './filter-match.ts'
import { readSort, readStage, readWhole, requireFewStages } from './filter-pipeline.ts'

/**
 * Compiles a pipeline over the contacts of an account. Each stage works on the rows of the previous one.
 * @throws invalid_filter naming the invalid part
 */
export function compileAggregate(stages: Stages, source: ContactSource): Level {
  requireFewStages(stages)
  const tally = newTally()
  return stages.reduce<Level>(
    (level, stage, at) => {
      const { name, value } = readStage(stage, pipelineStages)
      return applyStage(name, value, level, { alias: `s${at}`, source, tally })
    },
    contactsLevel(source, tally),
  )
}

function contactsLevel(source: ContactSource, tally: Tally): Level {
  const { resolve, from } = source.scope()
  return {
    ...source.reading,
    tally,
    kind: 'contacts',
    // Events can be read without contacts only if all contacts are visible.
    isWhole: !source.isRestricted,
    resolve,
    from,
    where: [],
    sort: null,
    order: () => [{ sql: sql`contacts.id`, isDescending: false }],
    skip: 0,
    limit: null,
    columns: [],
    added: [],
    without: new Set(),
  }
}

type Place = { alias: string; source: ContactSource; tally: Tally }

function applyStage(name: PipelineStage, value: unknown, level: Level, place: Place): Level {
  // Stages after a skip or limit work on the remaining rows.
  const uncut = (): Level => (isCut(level) ? wrapLevel(level, place.alias) : level)
  switch (name) {
    case '$match': {
      const on = uncut()
      const condition = compileMatches([value], on.resolve, place.tally)
      if (!condition) return on
      const { rank } = place.tally
      place.tally.rank = null
      // The best match of a full-text search comes first, unless a later `$sort` overrides that.
      return { ...on, where: [...on.where, condition], sort: rank ? [{ sql: rank, isDescending: true }] : on.sort }
    }
    case '$unwind':
      return unwind(uncut(), value, place)
    case '$group':
      return groupLevel(level, value, place.alias)
    case '$count':
      return countLevel(level, value, place.alias)
    case '$addFields':
      return addFields(level, value)
    case '$project':
      return project(level, value)
    case '$sort': {
      const on = uncut()
      return { ...on, sort: readSort(value, on.resolve) }
    }
    case '$skip': {
      const on = level.limit === null ? level : wrapLevel(level, place.alias)
      return { ...on, skip: on.skip + readWhole('$skip', value, 0) }
    }
    case '$limit':
      return { ...level, limit: Math.min(level.limit ?? Infinity, readWhole('$limit', value, 1)) }
  }
}

/** A row for each event of each contact; its fields are named `events.…`. */
function unwind(level: Level, argument: unknown, { source }: Place): Level {
  const {
    path,
    preserveNullAndEmptyArrays: keepsAll = false,
    ...more
  } = isObject(argument) ? argument : { path: argument }
  if (path !== '$events' || typeof keepsAll !== 'boolean' || Object.keys(more).length > 0) {
    throw invalidFilter('"$unwind" takes "$events" only.')
  }
  const id = level.kind === 'contacts' ? level.resolve('_id') : undefined
  if (!id) throw invalidFilter('"$unwind" must come before "$group", "$project" and "$count", and only once.')
  const events = eventResolver('event', level)
  const table = source.events
  // A pipeline over all events needs no join with contacts: every event has one.
  let needsContacts = keepsAll || !level.isWhole || level.where.length > 0 || level.sort !== null
  const find = (name: string): FilterField | undefined => {
    const known = level.resolve(name)
    needsContacts ||= known !== undefined
    if (known || !/^events\./i.test(name)) return known
    const field = events(name.slice('events.'.length))
    return field && { ...field, name: `events.${field.name}` }
  }
  const special = (name: string) => {
    const field = level.resolve.special?.(name)
    needsContacts ||= field !== undefined
    return field
  }
  const join = keepsAll ? sql`LEFT JOIN` : sql`JOIN`
  return {
    ...level,
    kind: 'events',
    resolve: resolverOf(find, special),
    from: () =>
      needsContacts
        ? sql`${level.from()} ${join} ${table} AS event ON event.contact_id = ${id.sql}`
        : sql`${table} AS event`,
    order: () => [
      ...(needsContacts ? level.order() : [{ sql: sql`event.contact_id`, isDescending: false }]),
      { sql: sql`event.event_date`, isDescending: false },
      { sql: sql`event.id`, isDescending: false },
    ],
  }
}

function addFields(level: Level, argument: unknown): Level {
  if (!isObject(argument) || Object.keys(argument).length === 0)
    throw invalidFilter('"$addFields" needs an object of fields.')
  const names = Object.keys(argument)
  requireNames(names)
  const taken = names.find(isReserved)
  if (taken !== undefined) throw invalidFilter(`"$addFields" cannot change "${taken}".`)
  const fields = new Map(names.map((name) => [foldText(name), compileExpression(name, argument[name], level)]))
  const find = (name: string) => fields.get(foldText(name)) ?? level.resolve(name)
  const isNew = (list: string[]) => list.filter((name) => !fields.has(foldText(name)))
  return {
    ...level,
    resolve: resolverOf(find, level.resolve.special),
    columns: level.kind === 'rows' ? [...isNew(level.columns), ...names] : [],
    added: level.kind === 'rows' ? [] : [...isNew(level.added), ...names],
    without: new Set([...level.without].filter((name) => !fields.has(name))),
  }
}

const reserved = new Set(internalFieldNames.map(foldName))

function isReserved(name: string): boolean {
  return reserved.has(foldName(name)) || /^events\./i.test(name)
}

/** Returns the fields named with 1 and the computed ones, or all but those named with 0. */
function project(level: Level, argument: unknown): Level {
  if (!isObject(argument) || Object.keys(argument).length === 0)
    throw invalidFilter('"$project" needs an object of fields.')
  const entries = Object.entries(argument)
  requireNames(entries.map(([name]) => name))
  const isOut = (choice: unknown) => choice === 0 || choice === false
  const left = entries.filter(([, choice]) => isOut(choice)).map(([name]) => name)
  const kept = entries.filter(([, choice]) => !isOut(choice))
  if (kept.length === 0) return leaveOut(level, left)
  const other = left.find((name) => foldName(name) !== '_id')
  if (other !== undefined) {
    throw invalidFilter(`"$project" either includes or excludes fields, not both: "${other}" is 0.`)
  }
  const fields = kept.flatMap(([name, choice]): FilterField[] => {
    if (choice !== 1 && choice !== true) return [compileExpression(name, choice, level)]
    if (foldName(name) === 'events' && level.kind === 'events') {
      return Object.keys(eventFields).map((event) => requireField(level.resolve, `events.${event}`))
    }
    return [{ ...requireField(level.resolve, name), name }]
  })
  const named = fields.some(({ name }) => foldName(name) === '_id')
  const id = left.length > 0 || named || (level.kind === 'rows' && !hasId(level)) ? undefined : level.resolve('_id')
  const columns = id ? [id, ...fields] : fields
  return {
    ...level,
    kind: 'rows',
    resolve: resolverOf(findByName(columns, ({ name }) => name)),
    columns: columns.map(({ name }) => name),
    added: [],
    without: new Set(),
  }
}

function hasId(level: Level): boolean {
  return level.columns.some((name) => foldName(name) === '_id')
}

function leaveOut(level: Level, names: string[]): Level {
  const left = new Set(names.map(foldName))
  // Internal names may be excluded even if they are not among the fields.
  for (const name of names) if (!isReserved(name)) requireField(level.resolve, name)
  const isGiven = (name: string) => !left.has(foldName(name))
  return {
    ...level,
    // The id is needed to read contacts, even when it is not returned.
    resolve: resolverOf(
      (name) =>
        isGiven(name) || (level.kind !== 'rows' && foldName(name) === '_id') ? level.resolve(name) : undefined,
      level.resolve.special,
    ),
    columns: level.columns.filter(isGiven),
    added: level.added.filter(isGiven),
    without: new Set([...level.without, ...left]),
  }
}
