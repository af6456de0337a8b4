import { alternatives } from './alternatives.ts'
import { applyNarrowing, eventsToContacts, takeEventTerms } from './apply-narrowing.ts'
import { findGroup, type KnownField, readGrouping, selectsContacts } from './grouping.ts'
import { type Pipeline, type Row, unwindEvents } from './pipeline.ts'
import { all, anyOf, matching, withPrefix } from './terms.ts'

/**
 * The contacts in a group of a cell, as stages.
 *
 * @param stages those of the cell, narrowed
 * @param group values of the group's keys by their names; a key that is left out may have any value
 * @returns null where no filter can say which contacts those are, as for groups by a computed value
 */
export function contactsBehind(stages: Pipeline, group: Row, fields: readonly KnownField[]): Pipeline | null {
  const selected = selectGroup(stages, group, fields)
  return selected && eventsToContacts(selected)
}

/**
 * The events in a group of a cell, or (null) all behind it, as stages that return one row an event with its values as
 * `events.…` columns. A cell that asks for contacts with some event has those events behind it, any other one all events
 * of its contacts. Stages, group and null as in `contactsBehind`.
 */
export function eventsBehind(stages: Pipeline, group: Row | null, fields: readonly KnownField[]): Pipeline | null {
  const selected = selectGroup(stages, group ?? {}, fields)
  if (!selected || selected.some(({ kind }) => kind === 'unwind')) return selected
  const wanted = takeEventTerms(selected).own.filter((terms) => terms.length > 0)
  const events = wanted.map((terms) => withPrefix(all(terms)))
  return [...selected, unwindEvents, ...matching(events.length > 0 ? [anyOf(events)] : [])]
}

/** The stages before the grouping, narrowed to one group. */
function selectGroup(stages: Pipeline, group: Row, fields: readonly KnownField[]): Pipeline | null {
  const found = findGroup(stages)
  const base = found ? stages.slice(0, found.at) : stages
  if (!selectsContacts(base)) return null
  if (Object.keys(group).length === 0) return base
  const grouping = readGrouping(stages, fields)
  if (!grouping) return null
  const keys = grouping.keys.filter(({ name }) => Object.hasOwn(group, name))
  if (keys.length === 0) return base
  const selection = alternatives({ ...grouping, keys }, [keys.map(({ name }) => group[name])])
  return applyNarrowing(base, { selections: [selection], ranges: [] })
}
