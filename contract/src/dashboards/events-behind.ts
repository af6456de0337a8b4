import type { Stages } from '../filter.ts'
import { all, anyOf, applyNarrowing, matching, takeElemMatches, withPrefix } from './apply-narrowing.ts'
import { groupingOf, type GroupRow, type KnownField } from './groups.ts'
import { alternatives } from './narrowing.ts'

const hasStage = (stages: Stages, name: string): boolean => stages.some((stage) => Object.hasOwn(stage, name))

/**
 * The events behind groups of a cell, or behind all that it shows, as stages that return one row an event with its values
 * as `events.…` columns. A cell that asks for contacts with some event has those events behind it, any other one all
 * events of its contacts.
 *
 * @param stages those of the cell, narrowed
 * @param rows keys of the groups; null for everything
 * @returns null where no filter can say which events those are, as for groups by a computed value
 */
export function eventsBehind(
  stages: Stages,
  rows: readonly GroupRow[] | null,
  fields: readonly KnownField[],
): Stages | null {
  const at = stages.findLastIndex((stage) => Object.hasOwn(stage, '$group'))
  const base = at === -1 ? stages : stages.slice(0, at)
  if (!base.every((stage) => ['$match', '$unwind', '$predefined'].some((name) => Object.hasOwn(stage, name))))
    return null
  const grouping = groupingOf(stages, fields)
  if (rows && !grouping) return null
  const selections = rows && grouping && grouping.keys.length > 0 ? [alternatives(grouping, rows)] : []
  const selected = applyNarrowing(base, { selections, ranges: [] })
  if (hasStage(selected, '$unwind')) return selected
  const { own } = takeElemMatches(selected)
  const wanted = own.filter((conditions) => conditions.length > 0).map((conditions) => withPrefix(all(conditions)))
  return [...selected, { $unwind: '$events' }, ...matching(wanted.length > 0 ? [anyOf(wanted)] : [])]
}
