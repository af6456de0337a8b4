import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import type { AccountData } from '../adding/account-data.ts'
import {
  active,
  by,
  byEvent,
  byPart,
  chartOf,
  contactsByMonth,
  eventDate,
  eventsBy,
  figureOf,
  countAs,
  groupBy,
  groups,
  isRating,
  kpi,
  kpiOfDates,
  kpiOfNumber,
  kpiOfShare,
  mapOf,
  ready,
  responding,
  unwound,
  where,
} from '../adding/ready-charts.ts'

type PlannedCell = { cols: number; chart: CellChart }
/** The cells of a row; an empty value replaces a cell whose fields the account lacks. */
export type PlannedRow = (PlannedCell | null | false | undefined)[]

const cell = (cols: number, chart: CellChart): PlannedCell => ({ cols, chart })

/** A cell about a field, if the account has it. */
const about = <T>(field: T | null | undefined, cols: number, chart: (field: T) => CellChart): PlannedCell | null =>
  field === null || field === undefined ? null : cell(cols, chart(field))

const contactsBy = (kind: 'Bar' | 'Column' | 'Donut', field: string): CellChart =>
  chartOf(kind, `Contacts by ${field}`, { of: 'Contacts', by: [by(field)], limit: 10 })

const dropdownOf = (field: string): CellChart =>
  ready('Dropdown', field, groups({ of: 'Contacts', by: [by(field)], limit: 300 }), { multipleSelect: true })

const listOf = (title: string, standard: Pipeline, columns: string[]): CellChart =>
  ready('PaginaTable', title, [], { filter: { standard: writePipeline(standard), columns } })

export function audienceRows(data: AccountData): PlannedRow[] {
  const { categories, country, state, city, flags, numbers, dates, columns } = data
  const [category, second] = categories
  const [number, other] = numbers
  const place = country ?? state
  return [
    [cell(4, kpi('Contacts', [])), about(number, 4, kpiOfNumber), about(other, 4, kpiOfNumber)],
    [about(category?.name, 6, dropdownOf), about(state ?? country, 6, dropdownOf)],
    [
      about(category?.name, 8, (name) => contactsBy('Column', name)),
      about(flags[0], 4, (flag) => kpiOfShare(`Share of ${flag}`, where(flag, true))),
    ],
    [
      about(category && number !== undefined ? category.name : null, 6, (name) => numberBy(number ?? '', name)),
      about(second?.name ?? (data.isOfStates ? city : place), 6, (name) => contactsBy('Bar', name)),
    ],
    [about(dates[0], 12, (date) => contactsByMonth('Area', date))],
    [columns.length > 1 && cell(12, listOf('Contacts', [], columns))],
  ]
}

function numberBy(number: string, field: string): CellChart {
  const { title, value } = figureOf(number)
  return chartOf('Bar', `${title} by ${field}`, { of: 'Contacts', by: [by(field)], value, limit: 10 })
}

/** Dates of events, which the tiles next to it follow. */
const dates = ready('DatePicker', 'Dates', [], { defaultId: '29', maxRange: 93 })

export function activityRows({ events }: AccountData): PlannedRow[] {
  return [
    [cell(4, dates), cell(4, kpiOfDates('Active contacts', active)), cell(4, kpiOfDates('Events', unwound))],
    [
      cell(
        12,
        chartOf(
          'Area',
          'Events by day of the week',
          {
            of: 'Events',
            by: [byPart('dayOfWeek', eventDate, 'Day'), ...(events?.hasKinds ? [byEvent('event_code', 'Event')] : [])],
            isInOrder: true,
            limit: 300,
          },
          { isStacked: true },
        ),
      ),
    ],
    [
      events?.hasPages && cell(6, eventsBy('Bar', 'Most visited pages', 'event_path', 'Page')),
      cell(
        6,
        chartOf(
          'Line',
          'Events by hour',
          { of: 'Events', by: [byPart('hour', eventDate, 'Hour')], isInOrder: true, limit: 50 },
          { curveType: 'function' },
        ),
      ),
    ],
    [
      events?.hasBrowsers && cell(6, eventsBy('Donut', 'Events by browser', 'browser', 'Browser')),
      events?.hasKinds &&
        cell(6, ready('Table', 'Events by kind', groups({ of: 'Events', by: [byEvent('event_code', 'Event')] }))),
    ],
  ]
}

export function placesRows(data: AccountData): PlannedRow[] {
  const { country, state, city, categories, numbers } = data
  const map = data.isOfStates ? state : country
  const place = state ?? country ?? city
  const [category] = categories
  const [number] = numbers
  return [
    [about(map, 8, (field) => mapOf(field, data.isOfStates)), about(place, 4, (field) => contactsBy('Bar', field))],
    [
      about(city === place ? null : city, 6, (field) => contactsBy('Bar', field)),
      about(category?.name, 6, (name) => contactsBy('Donut', name)),
    ],
    [
      about(place, 6, (field) => worthOf(field, number)),
      about(category && place ? category.name : null, 6, (name) => placesByCategory(place ?? '', name)),
    ],
  ]
}

/** Contacts by place, with their average number if they have one. */
function worthOf(field: string, number: string | undefined): CellChart {
  if (number === undefined || isRating(number))
    return ready('Table', `All of ${field}`, groups({ of: 'Contacts', by: [by(field)], limit: 300 }))
  return ready(
    'CalculatedTable',
    `${number} by ${field}`,
    [
      groupBy([by(field)], [countAs('Contacts'), { name: 'Total', operator: 'sum', of: `$${number}` }]),
      { kind: 'sort', order: { Contacts: -1 } },
    ],
    {
      calculatedColumns: [
        { name: 'Average', expression: 'round({{Total}} / {{Contacts}}, 1)', fix: 'none', position: 'e' },
      ],
    },
  )
}

const placesByCategory = (place: string, category: string): CellChart =>
  ready('Pivot', `${place} by ${category}`, groups({ of: 'Contacts', by: [by(place), by(category)], limit: 300 }))

export function campaignRows(data: AccountData): PlannedRow[] {
  const { categories, columns, hasPurls, events } = data
  const [category] = categories
  const answers = events?.hasResponses ? responding : active
  return [
    [
      cell(4, dates),
      cell(4, kpiOfDates('Active contacts', active)),
      events?.hasResponses && cell(4, kpiOfDates('Responding contacts', responding)),
    ],
    [
      events?.hasPages && cell(8, pages),
      cell(4, kpiOfShare('Response rate', answers, events?.hasResponses ? active : [])),
    ],
    [
      about(category?.name, 6, (name) => respondingBy(answers, name)),
      events?.hasKinds && cell(6, eventsBy('Donut', 'Events by kind', 'event_code', 'Kind')),
    ],
    [columns.length > 1 && cell(12, listOf('Follow up with', answers, [...columns, ...(hasPurls ? ['purl'] : [])]))],
  ]
}

const respondingBy = (answers: Pipeline, field: string): CellChart =>
  ready(
    'Column',
    `Responding contacts by ${field}`,
    [...answers, ...groups({ of: 'Contacts', by: [by(field)], limit: 10 })],
    { options: { legend: { position: 'none' } } },
  )

/** Visits of pages, and the number of people who made them. */
const pages: CellChart = ready(
  'Combo',
  'Visits and visitors by page',
  [
    ...unwound,
    ...where('events.event_path', { $exists: true }),
    groupBy(
      [byEvent('event_path', 'Page')],
      [countAs('Visits'), { name: 'Visitors', operator: 'size', of: { $addToSet: '$_id' } }],
    ),
    { kind: 'sort', order: { Visits: -1 } },
    { kind: 'limit', rows: 10 },
  ],
  { options: { series: { 1: { type: 'line' } } } },
)
