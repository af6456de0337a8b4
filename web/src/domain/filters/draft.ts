import { messages } from '@portico/contract/messages'
import { eventFieldName } from '@portico/domain/event-fields'
import { isSameName } from '@portico/domain/names'
import {
  behavioralFields,
  type Condition,
  emptyFilter,
  type EventCondition,
  type Figure,
  type Filter,
  type FilterField,
  type GroupBy,
  type GroupKey,
  type GroupOperator,
  type Measure,
} from './stages/filter.ts'
import { keyName, measureNames, readsEvents } from './stages/group-stages.ts'
import { placeProblems, valueProblem, wordsProblem } from './stages/filter-values.ts'

/** A row while it is edited: its key identifies it to React, whichever rows are added or removed. */
export type Keyed<T> = T & { key: string }

export type EventDraft = Keyed<{ conditions: Keyed<EventCondition>[] }>

/** A figure being chosen. */
export type FigureDraft = Keyed<{
  operator: GroupOperator | null
  field: string | null
  conditions: Keyed<Condition>[]
}>

/**
 * A measure being chosen. `distinct` of the first stands for none; an empty name is the usual one. `divisor`: null unless it is a
 * ratio.
 */
export type MeasureDraft = FigureDraft & { name: string; divisor: FigureDraft | null }

/** A group being chosen; a first key of null means none. There is always a first measure. */
export type GroupDraft = Omit<GroupBy, 'id' | 'events' | 'measures'> & {
  id: GroupKey | null
  events: Keyed<EventCondition>[]
  measures: MeasureDraft[]
}

/** The builder's tabs while they are edited: unfinished values are text, or null. */
export type Draft = Omit<Filter, 'standard' | 'behavioral' | 'location' | 'groupBy'> & {
  standard: Keyed<Condition>[]
  behavioral: EventDraft[]
  location: { distance: string; latitude: string; longitude: string }
  groupBy: GroupDraft
}

export type FilterTab = 'standard' | 'behavioral' | 'bylocation' | 'groupby' | 'columns' | 'predefined' | 'fulltext'

/** Problems of the draft: a message for each place, by tab. */
export type Problems = Record<FilterTab, Record<string, string>>

const keyed = <T extends object>(row: T): Keyed<T> => ({ ...row, key: crypto.randomUUID() })

export const newCondition = (): Keyed<Condition> => keyed({ field: '', type: 'string', operator: '=', value: '' })
export const newEventCondition = (): Keyed<EventCondition> => ({ ...newCondition(), isCustom: false })
export const newEventRow = (): EventDraft => keyed({ conditions: [newEventCondition()] })

export const newFigure = (): FigureDraft => keyed({ operator: null, field: null, conditions: [] })
export const newMeasure = (): MeasureDraft => ({ ...newFigure(), name: '', divisor: null })

export const noGroup = (): GroupDraft => ({
  id: null,
  id2: null,
  isOfEvents: false,
  events: [],
  measures: [newMeasure()],
  sortBy: 'id',
  sort: 1,
  limit: 50,
})

function groupDraftOf(groupBy: GroupBy): GroupDraft {
  const measures = groupBy.measures.map(({ name = '', divisor, ...figure }): MeasureDraft => ({
    ...figureDraftOf(figure),
    name,
    divisor: divisor ? figureDraftOf(divisor) : null,
  }))
  const [first = { ...newMeasure(), operator: 'distinct' as const }, ...more] = measures
  return { ...groupBy, events: groupBy.events.map(keyed), measures: [first, ...more] }
}

const figureDraftOf = ({ operator, field, conditions = [] }: Figure): FigureDraft =>
  keyed({ operator, field, conditions: conditions.map(keyed) })

/** The measures of a draft without problems. */
const measuresOf = (drafts: readonly MeasureDraft[]): Measure[] =>
  drafts.flatMap(({ name, divisor, ...draft }): Measure[] => {
    const [figure, by] = [figureOf(draft), divisor && figureOf(divisor)]
    if (!figure || (divisor && !by)) return []
    return [{ ...figure, ...named(name), ...(by && { divisor: by }) }]
  })

function figureOf({ operator, field, conditions }: FigureDraft): Figure | null {
  if (operator === null || operator === 'distinct') return null
  const own = conditions.length > 0 && { conditions: conditions.map(unkeyed) }
  return { operator, field: operator === 'count' ? null : field, ...own }
}

const named = (name: string | undefined) => (name?.trim() ? { name: name.trim() } : {})

const withName = ({ field, part, name }: GroupKey): GroupKey => ({ field, part, ...named(name) })

/** Whether groups are chosen, and what they show. */
const isGrouping = ({ id, measures }: GroupDraft): boolean => id !== null && measures[0]?.operator !== null

/** The grouping of a draft; null if none is chosen, or not all of it. */
function groupOfDraft(draft: GroupDraft): GroupBy | null {
  const { id } = draft
  if (id === null || !isGrouping(draft)) return null
  const groupBy = {
    ...draft,
    id: withName(id),
    id2: draft.id2 && withName(draft.id2),
    events: draft.events.map(unkeyed).map((one) => ({ ...one, field: eventFieldName(one.field) })),
    measures: measuresOf(draft.measures),
  }
  return { ...groupBy, isOfEvents: groupBy.isOfEvents || readsEvents(groupBy) }
}

export function draftOf(filter: Filter): Draft {
  const { location } = filter
  return {
    ...filter,
    standard: filter.standard.map(keyed),
    behavioral: filter.behavioral.map(({ conditions }) => keyed({ conditions: conditions.map(keyed) })),
    location: {
      distance: location ? String(location.distance) : '',
      latitude: location ? String(location.latitude) : '',
      longitude: location ? String(location.longitude) : '',
    },
    groupBy: filter.groupBy ? groupDraftOf(filter.groupBy) : noGroup(),
  }
}

const unkeyed = <T extends object>({ key: _key, ...row }: Keyed<T>): Omit<Keyed<T>, 'key'> => row

/** The filter that a draft without problems describes: parts without effect are left out. */
export function filterOfDraft(draft: Draft): Filter {
  if (draft.advanced !== null) return { ...emptyFilter, advanced: draft.advanced }
  if (draft.predefined !== null) return { ...emptyFilter, predefined: draft.predefined }
  const { location } = draft
  const groupBy = groupOfDraft(draft.groupBy)
  return {
    ...draft,
    // A group has columns of its own.
    ...(groupBy && { columns: [], sort: null }),
    standard: draft.standard.map(unkeyed),
    behavioral: draft.behavioral.map(({ conditions }) => ({
      conditions: conditions.map(unkeyed).map((one) => ({ ...one, field: eventFieldName(one.field) })),
    })),
    location: location.distance.trim() === '' ? null : placeOf(location),
    fullText: draft.fullText.trim(),
    groupBy,
  }
}

const placeOf = ({ distance, latitude, longitude }: Draft['location']) => ({
  distance: numberOf(distance),
  latitude: numberOf(latitude),
  longitude: numberOf(longitude),
})

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

/** Whether the operator requires a field. */
export const needsField = (operator: GroupOperator | null): boolean =>
  operator !== null && operator !== 'count' && operator !== 'distinct'

const noProblems: Problems = {
  standard: {},
  behavioral: {},
  bylocation: {},
  groupby: {},
  columns: {},
  predefined: {},
  fulltext: {},
}

type Rules = {
  /** A grouping must have two levels. */
  needsSecondLevel?: boolean
  /** Standard conditions require an index of their field (specification 3 §5). */
  onlyIndexedFields?: boolean
}

/** Messages for everything that prevents the draft from running, by tab and place. */
export function problemsOf(draft: Draft, fields: readonly FilterField[], rules: Rules = {}): Problems {
  // Either of them replaces all other tabs.
  if (draft.predefined !== null || draft.advanced !== null) return noProblems
  const words = wordsProblem(draft.fullText)
  return {
    ...noProblems,
    standard: merged(
      draft.standard.map((row) => ({
        ...conditionProblems(row),
        ...(rules.onlyIndexedFields && isUnindexed(row, fields) && { [`${row.key}.index`]: messages.notAllowed }),
      })),
    ),
    behavioral: merged(draft.behavioral.map(eventProblems)),
    bylocation: locationProblems(draft.location),
    groupby: groupProblems(draft.groupBy, rules.needsSecondLevel ?? false),
    fulltext: words === null ? {} : { words },
  }
}

const merged = (all: Record<string, string>[]): Record<string, string> =>
  Object.fromEntries(all.flatMap((one) => Object.entries(one)))

export const isValid = (problems: Problems): boolean =>
  Object.values(problems).every((places) => Object.keys(places).length === 0)

/** Removes missing values, which are not reported while the user is still typing. */
export function withoutMissing(problems: Problems): Problems {
  const wrong = Object.entries(problems).map(([tab, places]) => [
    tab,
    Object.fromEntries(Object.entries(places).filter(([, message]) => message !== messages.required)),
  ])
  // The same tabs as before.
  return Object.fromEntries(wrong) as Problems
}

/** Whether a condition is on a field without an index. */
export const isUnindexed = (condition: Condition, fields: readonly FilterField[]): boolean =>
  fields.some(({ name, isIndexed }) => name === condition.field && !isIndexed)

/** Problems by `<key>.field` and `<key>.value`. */
export function conditionProblems(condition: Keyed<Condition>): Record<string, string> {
  if (condition.field.trim() === '') return { [`${condition.key}.field`]: messages.required }
  const problem = valueProblem(condition)
  return problem === null ? {} : { [`${condition.key}.value`]: problem }
}

const eventProblems = ({ conditions }: EventDraft): Record<string, string> => merged(eventConditionProblems(conditions))

function eventConditionProblems(conditions: readonly Keyed<EventCondition>[]): Record<string, string>[] {
  const custom = conditions.filter(({ isCustom, field }) => isCustom && field.trim() !== '')
  const taken = behavioralFields.map(({ name }) => name)
  const nameProblem = ({ key, field }: Keyed<EventCondition>): string | null => {
    if (field.trim().startsWith('$')) return messages.invalid
    const others = [...taken, ...custom.filter((other) => other.key !== key).map((other) => other.field.trim())]
    return others.some((other) => isSameName(other, field)) ? messages.duplicate : null
  }
  const misnamed = custom.map((one): Record<string, string> => {
    const problem = nameProblem(one)
    return problem === null ? {} : { [`${one.key}.field`]: problem }
  })
  return [...conditions.map(conditionProblems), ...misnamed]
}

function locationProblems(location: Draft['location']): Record<string, string> {
  if (location.distance.trim() === '') return {}
  const required = Object.entries(location)
    .filter(([, text]) => text.trim() === '')
    .map(([name]) => [name, messages.required])
  return { ...placeProblems(placeOf(location)), ...Object.fromEntries(required) }
}

/** Problems by `id2` and, of each measure, by its key and the part: `<key>.operator`. */
function groupProblems({ id, id2, events, measures }: GroupDraft, needsSecondLevel: boolean): Record<string, string> {
  if (id === null) return {}
  return merged([
    needsSecondLevel && id2 === null ? { id2: messages.required } : {},
    ...measures.map(measureProblems),
    nameProblems(id, id2, measures),
    ...eventConditionProblems(events),
  ])
}

const measureProblems = ({ divisor, ...figure }: MeasureDraft): Record<string, string> =>
  merged([figureProblems(figure), divisor ? figureProblems(divisor) : {}])

const figureProblems = ({ key, operator, field, conditions }: FigureDraft): Record<string, string> => ({
  ...(operator === null && { [`${key}.operator`]: messages.required }),
  ...(needsField(operator) && field === null && { [`${key}.field`]: messages.required }),
  ...merged(conditions.map(conditionProblems)),
})

/** Each column has a name of its own. */
function nameProblems(id: GroupKey, id2: GroupKey | null, measures: readonly MeasureDraft[]): Record<string, string> {
  const usual = columnsOf({ id, id2, measures })
  const keys = [id, ...(id2 ? [id2] : [])].map((key) => keyName(withName(key)))
  const taken = [...keys]
  return merged([
    keys.length === 2 && isSameName(keys[0] ?? '', keys[1] ?? '') ? { id2: messages.duplicate } : {},
    ...measures.map(({ key, name }, index): Record<string, string> => {
      const shown = name.trim() || (usual[index] ?? '')
      const isTaken = taken.some((other) => isSameName(other, shown))
      taken.push(shown)
      return isTaken && shown !== '' ? { [`${key}.name`]: messages.duplicate } : {}
    }),
  ])
}

/** The usual names of measures; empty for an unfinished one. */
export function columnsOf({
  id,
  id2,
  measures,
}: Pick<GroupDraft, 'id' | 'id2'> & { measures: readonly MeasureDraft[] }) {
  return measures.map((measure): string => {
    const [finished] = measuresOf([measure])
    if (id === null || !finished) return ''
    return measureNames({ id: withName(id), id2: id2 && withName(id2), measures: [finished] })[0] ?? ''
  })
}
