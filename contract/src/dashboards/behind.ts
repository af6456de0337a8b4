import type { Stages } from '../filter.ts'
import { alternatives } from './alternatives.ts'
import {
  all,
  anyOf,
  applyNarrowing,
  eventsToContacts,
  matching,
  takeElemMatches,
  withPrefix,
} from './apply-narrowing.ts'
import { groupingOf, type KnownField, type Row } from './groups.ts'
import { selectsContacts } from './narrowing.ts'

/**
 * The contacts in a group of a cell, as stages.
 *
 * @param stages those of the cell, narrowed
 * @param group values of the group's keys by their names; a key that is left out may have any value
 * @returns null where no filter can say which contacts those are, as for groups by a computed value
 */
export function contactsBehind(stages: Stages, group: Row, fields: readonly KnownField[]): Stages | null {
  const selected = selectGroup(stages, group, fields)
  return selected && eventsToContacts(selected)
}

/**
 * The events in a group of a cell, or (null) all behind it, as stages that return one row an event with its values as
 * `events.…` columns. A cell that asks for contacts with some event has those events behind it, any other one all events
 * of its contacts. Stages, group and null as in `contactsBehind`.
 */
export function eventsBehind(stages: Stages, group: Row | null, fields: readonly KnownField[]): Stages | null {
  const selected = selectGroup(stages, group ?? {}, fields)
  if (!selected || selected.some((stage) => Object.hasOwn(stage, '$unwind'))) return selected
  const { own } = takeElemMatches(selected)
  const wanted = own.filter((conditions) => conditions.length > 0).map((conditions) => withPrefix(all(conditions)))
  return [...selected, { $unwind: '$events' }, ...matching(wanted.length > 0 ? [anyOf(wanted)] : [])]
}

/** The stages before the grouping, narrowed to one group. */
function selectGroup(stages: Stages, group: Row, fields: readonly KnownField[]): Stages | null {
  const at = stages.findLastIndex((stage) => Object.hasOwn(stage, '$group'))
  const base = at === -1 ? stages : stages.slice(0, at)
  if (!selectsContacts(base)) return null
  if (Object.keys(group).length === 0) return base
  const grouping = groupingOf(stages, fields)
  if (!grouping) return null
  const keys = grouping.keys.filter(({ name }) => Object.hasOwn(group, name))
  if (keys.length === 0) return base
  const selection = alternatives({ ...grouping, keys }, [keys.map(({ name }) => group[name])])
  return applyNarrowing(base, { selections: [selection], ranges: [] })
}
