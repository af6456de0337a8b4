import type { Stages } from '@portico/contract/filter'
import { defaultDateField } from '@portico/contract/scheduler/instructions'
import { type DatedType, type OffsetWindow, windowCondition } from '@portico/domain/scheduler/window-condition'
import { readRowKind } from '@portico/domain/pipeline/grouping'
import { type Pipeline, type Stage, type StageKind, unwindEvents } from '@portico/domain/pipeline/pipeline'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { fieldTerm, matching } from '@portico/domain/pipeline/terms'
import { invalidFilter } from '#filters'
import { isEventField } from './export-selection.ts'

/** A date that a window applies to: days or moments. Dates of events are moments. */
export type DateField = { name: string; type: DatedType }

export const eventDates: DateField = { name: defaultDateField, type: 'date' }

/** Stages that cut or reshape the rows: a condition on contacts is placed before the first of them. */
const laterStages: StageKind[] = ['sort', 'skip', 'limit', 'group', 'unwind', 'project', 'addFields', 'count']

const isLater = ({ kind }: Stage): boolean => laterStages.includes(kind)

const countLater = (stages: Stages): number => parsePipeline(stages).filter(isLater).length

/** Stages for a window. `hidesLater`: one of their saved filters, which stays a name, has some of `laterStages`. */
export type Placeable = { stages: Stages; hidesLater: boolean }

/**
 * Returns the stages in which a window can be placed: with `readable` stages if a saved filter that the stages name cuts
 * or reshapes the rows. Other saved filters are kept as names, and looked up again when the export is written. So are
 * those with parts that the account may not read: the stages of an export are shown to people.
 */
export async function placeable(stages: Stages, expanded: Stages, readable: () => Promise<Stages>): Promise<Placeable> {
  const all = countLater(expanded)
  if (all === countLater(stages)) return { stages, hidesLater: false }
  const read = await readable()
  return { stages: read, hidesLater: all > countLater(read) }
}

/**
 * Narrows the stages of an export to a window of dates. With a date of contacts, it selects contacts with a date in the
 * window. With a date of events, it selects contacts with an event in the window, and in a file or groups of events
 * only these events.
 * @throws invalid_filter for a date of events if a hidden part of the stages cuts or reshapes rows, which may be events
 */
export function windowStages(
  { stages, hidesLater }: Placeable,
  names: readonly string[],
  window: OffsetWindow,
  { name: dateField, type }: DateField,
): Stages {
  const within = windowCondition(window, type)
  const isOfEvent = isEventField(dateField)
  if (isOfEvent && hidesLater) throw invalidFilter(hiddenEvents)
  const own = fieldTerm(dateField.slice(dateField.indexOf('.') + 1), within)
  const ofContacts = matching([isOfEvent ? { kind: 'event', condition: [own] } : fieldTerm(dateField, within)])
  const pipeline = parsePipeline(stages)
  const at = pipeline.findIndex((stage) => isLater(stage) || (hidesLater && stage.kind === 'saved'))
  const narrowed = pipeline.toSpliced(at < 0 ? pipeline.length : at, 0, ...ofContacts)
  return writePipeline(isOfEvent ? narrowEvents(narrowed, names, matching([fieldTerm(dateField, within)])) : narrowed)
}

const hiddenEvents =
  'A saved filter here limits or groups rows in a part that you may not see, so they cannot be limited to a window of event dates. Choose a date of contacts, or another filter.'

/** Narrows rows of events, if the stages or the names of fields produce such rows. */
function narrowEvents(stages: Pipeline, names: readonly string[], match: Stage[]): Pipeline {
  const unwind = stages.findIndex(({ kind }) => kind === 'unwind')
  if (unwind >= 0) return stages.toSpliced(unwind + 1, 0, ...match)
  if (readRowKind(stages) === 'groups' || !names.some(isEventField)) return stages
  const projection = stages.findIndex(({ kind }) => kind === 'project')
  return stages.toSpliced(projection < 0 ? stages.length : projection, 0, unwindEvents, ...match)
}
