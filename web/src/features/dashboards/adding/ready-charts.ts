import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import {
  type Accumulator,
  type FieldKey,
  type KeyPart,
  type Pipeline,
  type Stage,
  unwindEvents,
} from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { fieldTerm, matching } from '@portico/domain/pipeline/terms'
import { isSameName } from '@portico/domain/names'
import { type ChosenKind, needsFilter, newChart } from '../configuration/cell-kinds.ts'

/** A field of dates, and whether these are days that people celebrate every year. */
export type DateField = { name: string; isBirthday: boolean }

/** A complete cell of a kind. */
export function ready(
  kind: ChosenKind,
  title: string,
  standard: Pipeline = [],
  more: Partial<CellChart> = {},
): CellChart {
  const chart = newChart(kind, undefined)
  return {
    ...chart,
    title,
    ...(needsFilter(chart.type) && { filter: { standard: writePipeline(standard) } }),
    ...more,
    options: { ...chart.options, ...more.options },
  }
}

// JavaScript moves integer property names to the front.
export const by = (field: string): FieldKey => keyOf(/^\d+$/.test(field) ? `"${field}"` : field, field)
export const byPart = (part: KeyPart, field: string, name: string): FieldKey => keyOf(name, field, part)
export const byEvent = (field: string, name: string): FieldKey => keyOf(name, `events.${field}`)
export const eventDate = 'events.event_date'

const keyOf = (name: string, field: string, part: KeyPart | null = null): FieldKey => ({
  kind: 'field',
  name,
  field,
  part,
})

export const countAs = (name: string): Accumulator => ({ name, operator: 'count', of: {} })

type Groups = {
  of: 'Contacts' | 'Events'
  by: readonly FieldKey[]
  /** Computed for each group; by default the number of contacts or events in it. */
  value?: Accumulator
  /** The contacts or events to group; all by default. */
  which?: Pipeline
  /** Sorted by the keys instead of largest first. */
  isInOrder?: boolean
  /** A limit that the filter builder offers. */
  limit?: 10 | 20 | 50 | 100 | 300
}

/** Stages that group, in the form that the filter builder can show. */
export function groups({ of, by: keys, value, which = [], isInOrder = false, limit = 20 }: Groups): Pipeline {
  const isTaken = (name: string): boolean => keys.some((key) => isSameName(key.name, name))
  const wanted = value?.name ?? of
  const name = isTaken(wanted) ? `${wanted} (value)` : wanted
  const order = isInOrder ? Object.fromEntries(keys.map((key) => [key.name, 1])) : { [name]: -1 }
  return [
    ...(of === 'Events' ? unwound : []),
    ...which,
    groupBy(keys, [{ ...(value ?? countAs(name)), name }]),
    { kind: 'sort', order },
    { kind: 'limit', rows: limit },
  ]
}

export const groupBy = (keys: readonly FieldKey[], values: readonly Accumulator[]): Stage => ({
  kind: 'group',
  keys,
  isNamed: keys.length > 0,
  values,
})

/** A row for each event. */
export const unwound: Pipeline = [unwindEvents]

/** A condition on a field. */
export const where = (field: string, test: unknown): Pipeline => matching([fieldTerm(field, test)])

const withEvent = (field: string, test: unknown): Pipeline =>
  matching([{ kind: 'event', condition: [fieldTerm(field, test)] }])

/** Contacts with a recorded event, or with one that triggered something: a click, a form. */
export const active: Pipeline = withEvent('event_code', { $exists: true })
export const responding: Pipeline = withEvent('is_trigger', true)

/** The sum of numbers that rate a contact is meaningless. */
export const isRating = (field: string): boolean => /\b(?:score|rating|rank|age|percent|percentage|rate)\b/i.test(field)

/** A number aggregated over many contacts: its sum, or the average of a rating. */
export function figureOf(field: string): { title: string; value: Accumulator } {
  const [word, operator] = isRating(field) ? ['Average', 'avg'] : ['Total', 'sum']
  const title = `${word} ${field}`
  return { title, value: { name: title, operator, of: `$${field}` } }
}

export const kpi = (title: string, standard: Pipeline, more: Partial<CellChart> = {}): CellChart =>
  ready('KPI', title, standard, more)

export function kpiOfNumber(field: string): CellChart {
  const { title, value } = figureOf(field)
  return kpi(title, [groupBy([], [{ ...value, name: 'value' }])])
}

/** A tile that follows the date picker, with the change from the previous period. */
export const kpiOfDates = (title: string, standard: Pipeline): CellChart =>
  kpi(title, standard, { options: { template: 'master-date-range' } })

/** A share in percent of all contacts that `among` selects. */
export const kpiOfShare = (title: string, standard: Pipeline, among: Pipeline = []): CellChart =>
  kpi(title, standard, {
    options: { template: 'ratio-with-master-date-range' },
    filter2: { standard: writePipeline(among) },
  })

const single = { legend: { position: 'none' } } as const
const aside = { legend: { position: 'right' } } as const

/** Groups by one key: a legend would only repeat the title. */
export const chartOf = (
  kind: ChosenKind,
  title: string,
  asked: Groups,
  options: CellChart['options'] = {},
): CellChart =>
  ready(kind, title, groups(asked), {
    options: { ...(kind === 'Pie' || kind === 'Donut' ? aside : asked.by.length > 1 ? {} : single), ...options },
  })

/** The periods of 25 years of months: a timeline should not end where the data does not. */
const mostPeriods = 300

/**
 * Contacts by the month of a date: birthdays regardless of the year, others along the years. Those without the date are
 * left out.
 */
export const contactsByMonth = (kind: 'Area' | 'Line', { name, isBirthday }: DateField): CellChart =>
  chartOf(kind, `Contacts by month of ${name}`, {
    of: 'Contacts',
    by: [byPart(isBirthday ? 'month' : 'by month', name, 'Month')],
    which: where(name, { $exists: true }),
    isInOrder: true,
    limit: mostPeriods,
  })

/** Events by month, along the years. */
export const eventsByMonth = (kind: 'Column' | 'Line'): CellChart =>
  chartOf(kind, 'Events by month', {
    of: 'Events',
    by: [byPart('by month', eventDate, 'Month')],
    isInOrder: true,
    limit: mostPeriods,
  })

/** Events by one of their texts; those without it are left out. */
export const eventsBy = (kind: ChosenKind, title: string, field: string, name: string): CellChart =>
  chartOf(kind, title, {
    of: 'Events',
    by: [byEvent(field, name)],
    which: where(`events.${field}`, { $exists: true }),
    limit: 10,
  })

/** A map, if there is one for the places. */
export const mapOf = (field: string, isOfStates: boolean): CellChart =>
  chartOf(
    'Geo',
    `Contacts by ${field}`,
    { of: 'Contacts', by: [by(field)], limit: 300 },
    isOfStates ? { region: 'US', resolution: 'provinces', height: 320 } : { height: 320 },
  )
