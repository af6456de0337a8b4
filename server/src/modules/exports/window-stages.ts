import type { Stages } from '@portico/contract/filter'
import { defaultDateField } from '@portico/contract/scheduler/instructions'
import { type DatedType, type OffsetWindow, windowCondition } from '@portico/contract/scheduler/window-condition'
import { isEventField } from './export-selection.ts'

/** A date that a window applies to: days, or moments. Those of events are moments. */
export type DateField = { name: string; type: DatedType }

export const eventDates: DateField = { name: defaultDateField, type: 'date' }

/** Stages that cut or reshape the rows: a condition on contacts comes before the first of them. */
const laterStages = ['$sort', '$skip', '$limit', '$group', '$unwind', '$project', '$addFields', '$count']

const isLater = (stage: Record<string, unknown>): boolean => laterStages.includes(operatorOf(stage))

const operatorOf = (stage: Record<string, unknown>): string => Object.keys(stage)[0] ?? ''

/**
 * The stages that a window can be placed among: `expanded` if a saved filter that the stages name cuts or reshapes the rows.
 * Other saved filters stay named, and are looked up again when the export is written.
 */
export function placeable(stages: Stages, expanded: Stages): Stages {
  return expanded.filter(isLater).length > stages.filter(isLater).length ? expanded : stages
}

/**
 * Narrows the stages of an export to a window of dates. A date of contacts takes the contacts of these days; a date of
 * events those with an event then, and of a file or groups of events only these events.
 */
export function windowStages(
  stages: Stages,
  names: readonly string[],
  window: OffsetWindow,
  { name: dateField, type }: DateField,
): Stages {
  const within = windowCondition(window, type)
  const isOfEvent = isEventField(dateField)
  const ofContacts = isOfEvent
    ? { $match: { events: { $elemMatch: { [dateField.slice(dateField.indexOf('.') + 1)]: within } } } }
    : { $match: { [dateField]: within } }
  const at = stages.findIndex(isLater)
  const narrowed = at < 0 ? [...stages, ofContacts] : stages.toSpliced(at, 0, ofContacts)
  return isOfEvent ? narrowEvents(narrowed, names, { $match: { [dateField]: within } }) : narrowed
}

/** Narrows rows of events, if the stages or the names of fields make such rows. */
function narrowEvents(stages: Stages, names: readonly string[], match: Record<string, unknown>): Stages {
  const unwind = stages.findIndex((stage) => operatorOf(stage) === '$unwind')
  if (unwind >= 0) return stages.toSpliced(unwind + 1, 0, match)
  const isGrouped = stages.some((stage) => operatorOf(stage) === '$group')
  if (isGrouped || !names.some(isEventField)) return stages
  const projection = stages.findIndex((stage) => operatorOf(stage) === '$project')
  return stages.toSpliced(projection < 0 ? stages.length : projection, 0, { $unwind: '$events' }, match)
}
