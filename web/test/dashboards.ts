import type { Dashboard } from '@portico/contract/dashboards'
import { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { DashboardCell, Definition } from '@portico/contract/dashboards/definition'

/** Groups of contacts by their city. */
export const groupedByCity = { standard: [{ $group: { _id: { City: '$City' }, count: { $count: {} } } }] }

/** A chart with the settings of a stored one. */
export const aChart = (part: object): CellChart =>
  CellChart.parse({ title: 'Cities', options: { colors: ['#3560c4'] }, ...part })

export const aDefinition = (...cells: DashboardCell[]): Definition => ({
  layout: [cells],
  originalFiltersSaved: false,
  resetFilters: false,
})

/** A dashboard of the user, shared with their account. */
export const aDashboard = (part: Partial<Dashboard> = {}): Dashboard => ({
  _id: 'd1',
  name: 'Membership',
  tags: ['event'],
  author: 'mara.klein@example.com',
  definition: JSON.stringify(aDefinition({ id: 'cities', cols: 12, chart: aChart({ type: 'Text' }) })),
  version: 3,
  updatedAt: '2026-03-01T10:00:00.000Z',
  isAuthor: true,
  mayTakeOver: false,
  isFavourite: false,
  sharedWith: { paids: [1], aids: [1], users: 'all' },
  ...part,
})
