import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { DashboardCell } from '@portico/contract/dashboards/definition'
import type { AccountData } from './account-data.ts'
import {
  by,
  byPart,
  chartOf,
  contactsByMonth,
  eventDate,
  eventsBy,
  eventsByMonth,
  figureOf,
  groups,
  kpi,
  kpiOfNumber,
  kpiOfShare,
  mapOf,
  ready,
  unwound,
  where,
} from './ready-charts.ts'

type Found = (CellChart | false | null | undefined)[]

/** More would make the choice harder. */
const mostSuggestions = 12

/** Finished cells for the account's data, the most informative first. Those that the dashboard has are left out. */
export function suggestionsFor(data: AccountData, cells: readonly DashboardCell[]): CellChart[] {
  const keyOf = ({ type, title }: CellChart): string => `${type} ${title}`
  const taken = new Set(cells.flatMap(({ chart }) => (chart ? [keyOf(chart)] : [])))
  return all(data)
    .filter((chart) => !taken.has(keyOf(chart)))
    .slice(0, mostSuggestions)
}

function all(data: AccountData): CellChart[] {
  const [contacts, events] = [data.hasContacts ? ofContacts(data) : [], data.events ? ofEvents(data.events) : []]
  const found: Found = [
    ...contacts.slice(0, 4),
    ...events.slice(0, 2),
    ...contacts.slice(4, 8),
    ...events.slice(2, 4),
    ...contacts.slice(8),
    ...events.slice(4),
  ]
  return found.filter((chart) => chart !== false && chart !== null && chart !== undefined)
}

/** Maximum number of categories that a donut can distinguish. */
const mostSlices = 8

function ofContacts(data: AccountData): Found {
  const { categories, city, country, state, flags, numbers, dates, columns } = data
  const [category, second] = categories
  const place = data.isOfStates ? state : (country ?? state)
  const [number] = numbers
  const [flag] = flags
  const [date] = dates
  const byCategory = (name: string, values: number): CellChart =>
    chartOf(values <= mostSlices ? 'Donut' : 'Bar', `Contacts by ${name}`, { of: 'Contacts', by: [by(name)] })
  return [
    kpi('Contacts', []),
    category && byCategory(category.name, category.values),
    city !== null && chartOf('Bar', `Contacts by ${city}`, { of: 'Contacts', by: [by(city)], limit: 10 }),
    place !== null && (place === country || data.isOfStates) && mapOf(place, data.isOfStates),
    number !== undefined && kpiOfNumber(number),
    flag !== undefined && kpiOfShare(`Share of ${flag}`, where(flag, true)),
    category && number !== undefined && numberByCategory(number, category.name),
    date !== undefined && contactsByMonth('Line', date),
    state !== null &&
      !data.isOfStates &&
      chartOf('Column', `Contacts by ${state}`, { of: 'Contacts', by: [by(state)], limit: 10 }),
    category && ready('Dropdown', category.name, groups({ of: 'Contacts', by: [by(category.name)], limit: 100 })),
    columns.length > 1 && ready('PaginaTable', 'List of contacts', [], { filter: { standard: [], columns } }),
    category && pivotOf(category.name, second?.name ?? state ?? country),
    second && byCategory(second.name, second.values),
  ]
}

function numberByCategory(number: string, category: string): CellChart {
  const { title, value } = figureOf(number)
  return chartOf('Column', `${title} by ${category}`, { of: 'Contacts', by: [by(category)], value })
}

function pivotOf(rows: string, columns: string | null | undefined): CellChart | null {
  if (columns === null || columns === undefined) return null
  const standard = groups({ of: 'Contacts', by: [by(rows), by(columns)], limit: 300 })
  return ready('Pivot', `${rows} by ${columns}`, standard)
}

function ofEvents({ hasKinds, hasPages, hasBrowsers }: NonNullable<AccountData['events']>): Found {
  return [
    eventsByMonth('Column'),
    hasPages && eventsBy('Bar', 'Most visited pages', 'event_path', 'Page'),
    kpi('Events', unwound),
    hasKinds && eventsBy('Donut', 'Events by kind', 'event_code', 'Kind'),
    chartOf('Line', 'Events by hour', {
      of: 'Events',
      by: [byPart('hour', eventDate, 'Hour')],
      isInOrder: true,
      limit: 50,
    }),
    ready('DatePicker', 'Dates'),
    hasBrowsers && eventsBy('Pie', 'Events by browser', 'browser', 'Browser'),
  ]
}

/** Columns of a row of twelve that a new cell takes. */
export function widthOf({ type }: Pick<CellChart, 'type'>): number {
  if (type === 'KPI' || type === 'Dropdown' || type === 'DatePicker') return 4
  return type === 'PaginaTable' || type === 'Pivot' ? 12 : 6
}
