import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { DatePart } from '@portico/domain/pipeline/pipeline'
import type { Stages } from '@portico/contract/filter'
import { isSameName } from '@portico/contract/names'
import { type ChosenKind, needsFilter, newChart } from '../configuration/cell-kinds.ts'

/** A complete cell of a kind. */
export function ready(
  kind: ChosenKind,
  title: string,
  standard: Stages = [],
  more: Partial<CellChart> = {},
): CellChart {
  const chart = newChart(kind, undefined)
  return {
    ...chart,
    title,
    ...(needsFilter(chart.type) && { filter: { standard } }),
    ...more,
    options: { ...chart.options, ...more.options },
  }
}

/** A key of groups: its column, and the field or the part of a date. */
export type Key = readonly [name: string, spec: unknown]

// JavaScript puts properties that are whole numbers first.
export const by = (field: string): Key => [/^\d+$/.test(field) ? `"${field}"` : field, `$${field}`]
export const byPart = (part: DatePart, field: string, name: string): Key => [name, { [`$${part}`]: `$${field}` }]
export const byEvent = (field: string, name: string): Key => [name, `$events.${field}`]
export const eventDate = 'events.event_date'

type Value = { name: string; spec: unknown }
const count = { $count: {} }

type Groups = {
  of: 'Contacts' | 'Events'
  by: readonly Key[]
  /** Computed of each group; their number unless it is given. */
  value?: Value
  /** Those to group; all unless it is given. */
  which?: Stages
  /** By the keys instead of the largest first. */
  isInOrder?: boolean
  /** One that the filter builder offers. */
  limit?: 10 | 20 | 50 | 100 | 300
}

/** Stages that group, in the form that the filter builder can show. */
export function groups({ of, by: keys, value, which = [], isInOrder = false, limit = 20 }: Groups): Stages {
  const isTaken = (name: string): boolean => keys.some(([key]) => isSameName(key, name))
  const wanted = value?.name ?? of
  const name = isTaken(wanted) ? `${wanted} (value)` : wanted
  const order = isInOrder ? Object.fromEntries(keys.map(([key]) => [key, 1])) : { [name]: -1 }
  return [
    ...(of === 'Events' ? unwound : []),
    ...which,
    { $group: { _id: Object.fromEntries(keys), [name]: value?.spec ?? count } },
    { $sort: order },
    { $limit: limit },
  ]
}

/** A row for each event. */
export const unwound: Stages = [{ $unwind: '$events' }]

/** Contacts with a recorded event, or with one that triggered something: a click, a form. */
export const active: Stages = [{ $match: { events: { $elemMatch: { event_code: { $exists: true } } } } }]
export const responding: Stages = [{ $match: { events: { $elemMatch: { is_trigger: true } } } }]

/** Numbers that are added up say nothing where they rate a contact. */
export const isRating = (field: string): boolean => /\b(?:score|rating|rank|age|percent|percentage|rate)\b/i.test(field)

/** A number of a contact over many of them: its sum, or the average of a rating. */
export function figureOf(field: string): { title: string; value: Value } {
  const [word, operator] = isRating(field) ? ['Average', '$avg'] : ['Total', '$sum']
  const title = `${word} ${field}`
  return { title, value: { name: title, spec: { [operator]: `$${field}` } } }
}

export const kpi = (title: string, standard: Stages, more: Partial<CellChart> = {}): CellChart =>
  ready('KPI', title, standard, more)

export function kpiOfNumber(field: string): CellChart {
  const { title, value } = figureOf(field)
  return kpi(title, [{ $group: { _id: null, value: value.spec } }])
}

/** A tile that follows the date picker, with the change against the period before. */
export const kpiOfDates = (title: string, standard: Stages): CellChart =>
  kpi(title, standard, { options: { template: 'master-date-range' } })

/** A share in per cent of all that `among` selects. */
export const kpiOfShare = (title: string, standard: Stages, among: Stages = []): CellChart =>
  kpi(title, standard, { options: { template: 'ratio-with-master-date-range' }, filter2: { standard: among } })

const single = { legend: { position: 'none' } } as const
const aside = { legend: { position: 'right' } } as const

/** Groups of one key: a legend would only repeat the title. */
export const chartOf = (
  kind: ChosenKind,
  title: string,
  asked: Groups,
  options: CellChart['options'] = {},
): CellChart =>
  ready(kind, title, groups(asked), {
    options: { ...(kind === 'Pie' || kind === 'Donut' ? aside : asked.by.length > 1 ? {} : single), ...options },
  })

/** Contacts by the months of a date, whatever the year; those without the date are left out. */
export const contactsByMonth = (kind: 'Area' | 'Line', date: string): CellChart =>
  chartOf(kind, `Contacts by month of ${date}`, {
    of: 'Contacts',
    by: [byPart('month', date, 'Month')],
    which: [{ $match: { $and: [{ [date]: { $gte: '1900-01-01' } }] } }],
    isInOrder: true,
  })

/** Events by a text that they have; those without it are left out. */
export const eventsBy = (kind: ChosenKind, title: string, field: string, name: string): CellChart =>
  chartOf(kind, title, {
    of: 'Events',
    by: [[name, `$events.${field}`]],
    which: [{ $match: { [`events.${field}`]: { $ne: null } } }],
    limit: 10,
  })

/** A map where the places have one. */
export const mapOf = (field: string, isOfStates: boolean): CellChart =>
  chartOf(
    'Geo',
    `Contacts by ${field}`,
    { of: 'Contacts', by: [by(field)], limit: 300 },
    isOfStates ? { region: 'US', resolution: 'provinces', height: 320 } : { height: 320 },
  )
