import { messages } from '@portico/contract/messages'
import { eventFieldName } from '@portico/domain/event-fields'
import { isSameName } from '@portico/domain/names'
import {
  behavioralFields,
  type Condition,
  emptyFilter,
  type EventCondition,
  type Filter,
  type FilterField,
  type GroupBy,
  type GroupKey,
} from './stages/filter.ts'
import { placeProblems, valueProblem, wordsProblem } from './stages/filter-values.ts'

/** A row while it is edited: its key identifies it to React, whichever rows are added or removed. */
export type Keyed<T> = T & { key: string }

export type EventDraft = Keyed<{ conditions: Keyed<EventCondition>[] }>

/** A group being chosen; a first key of null means none. */
export type GroupDraft = Omit<GroupBy, 'id' | 'operator'> & {
  id: GroupKey | null
  operator: GroupBy['operator'] | null
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

export const noGroup: GroupDraft = {
  id: null,
  id2: null,
  operator: null,
  field: null,
  sortBy: 'id',
  sort: 1,
  limit: 50,
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
    groupBy: filter.groupBy ?? noGroup,
  }
}

const unkeyed = <T extends object>({ key: _key, ...row }: Keyed<T>): Omit<Keyed<T>, 'key'> => row

/** The filter that a draft without problems describes: parts without effect are left out. */
export function filterOfDraft(draft: Draft): Filter {
  if (draft.advanced !== null) return { ...emptyFilter, advanced: draft.advanced }
  if (draft.predefined !== null) return { ...emptyFilter, predefined: draft.predefined }
  const { groupBy, location } = draft
  const { id, operator } = groupBy
  const isGrouped = id !== null && operator !== null
  return {
    ...draft,
    // A group has columns of its own.
    ...(isGrouped && { columns: [], sort: null }),
    standard: draft.standard.map(unkeyed),
    behavioral: draft.behavioral.map(({ conditions }) => ({
      conditions: conditions.map(unkeyed).map((one) => ({ ...one, field: eventFieldName(one.field) })),
    })),
    location: location.distance.trim() === '' ? null : placeOf(location),
    fullText: draft.fullText.trim(),
    groupBy: isGrouped ? { ...groupBy, id, operator } : null,
  }
}

const placeOf = ({ distance, latitude, longitude }: Draft['location']) => ({
  distance: numberOf(distance),
  latitude: numberOf(latitude),
  longitude: numberOf(longitude),
})

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

/** Whether the operator requires a field. */
export const needsField = (operator: GroupBy['operator'] | null): boolean =>
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

function eventProblems({ conditions }: EventDraft): Record<string, string> {
  const custom = conditions.filter(({ isCustom, field }) => isCustom && field.trim() !== '')
  const taken = behavioralFields.map(({ name }) => name)
  const nameProblem = ({ key, field }: Keyed<EventCondition>): string | null => {
    if (field.trim().startsWith('$')) return messages.invalid
    const others = [...taken, ...custom.filter((other) => other.key !== key).map((other) => other.field.trim())]
    return others.some((other) => isSameName(other, field)) ? messages.duplicate : null
  }
  const named = custom.map((one): Record<string, string> => {
    const problem = nameProblem(one)
    return problem === null ? {} : { [`${one.key}.field`]: problem }
  })
  return merged([...conditions.map(conditionProblems), ...named])
}

function locationProblems(location: Draft['location']): Record<string, string> {
  if (location.distance.trim() === '') return {}
  const required = Object.entries(location)
    .filter(([, text]) => text.trim() === '')
    .map(([name]) => [name, messages.required])
  return { ...placeProblems(placeOf(location)), ...Object.fromEntries(required) }
}

function groupProblems({ id, id2, operator, field }: GroupDraft, needsSecondLevel: boolean): Record<string, string> {
  if (id === null) return {}
  return {
    ...(needsSecondLevel && id2 === null && { id2: messages.required }),
    ...(operator === null && { operator: messages.required }),
    ...(needsField(operator) && field === null && { field: messages.required }),
  }
}
