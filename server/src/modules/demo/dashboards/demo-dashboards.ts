import type { dashboardTags } from '@portico/contract/dashboards'

/** A dashboard of the demo. */
export type DemoDashboard = { name: string; tags: (typeof dashboardTags)[number][]; definition: string }

const colors = ['#3560c4', '#2fb5a0', '#f2a33a', '#e0607e', '#7b5fd0', '#3f9fd8', '#8a97ab']

type Stage = Record<string, unknown>

const cell = (cols: number, chart: Record<string, unknown>) => ({ cols, chart })

/** A chart of groups, the largest value first unless they have an order of their own. */
const chart = (cols: number, type: string, title: string, standard: Stage[], options: object = {}) =>
  cell(cols, {
    type,
    title,
    filter: { standard },
    options: { colors, height: 260, legend: { position: 'top' }, ...options },
  })

const tile = (cols: number, title: string, standard: Stage[], more: Record<string, unknown> = {}) =>
  cell(cols, { type: 'KPI', title, filter: { standard }, options: { colors: ['#3560c4'] }, ...more })

const count = { $count: {} }
const byCount = { $sort: { count: -1 } }
const events = { $unwind: '$events' }
const largest = (limit: number): Stage[] => [byCount, { $limit: limit }]

const differentApplications = { $size: { $addToSet: '$events.app_code' } }

const share = { template: 'ratio-with-master-date-range', colors: ['#3560c4'] }

const overview: DemoDashboard = {
  name: 'Overview',
  tags: ['channel', 'score'],
  definition: JSON.stringify({
    layout: [
      [
        tile(4, 'Contacts', []),
        tile(4, 'Average lead score', [{ $group: { _id: null, value: { $avg: '$Lead Score' } } }]),
        tile(4, 'Opted in', [{ $match: { 'Opted In': true } }], { filter2: { standard: [] }, options: share }),
      ],
      [
        cell(6, {
          type: 'Dropdown',
          title: 'Segment',
          multipleSelect: true,
          filter: { standard: [{ $group: { _id: { Segment: '$Segment' }, count } }] },
        }),
        cell(6, {
          type: 'Text',
          title: 'How to read this',
          portico: {
            text: 'Click a bar, a slice or a row, and **everything else follows**. Click it again to go back.',
          },
        }),
      ],
      [
        chart(7, 'Column', 'Contacts by segment', [{ $group: { _id: { Segment: '$Segment' }, count } }, byCount]),
        chart(5, 'Pie', 'Contacts by country', [{ $group: { _id: { Country: '$Country' }, count } }, byCount], {
          pieHole: 0.4,
          legend: { position: 'right' },
        }),
      ],
      [
        cell(6, {
          type: 'CalculatedTable',
          title: 'Lead score by segment',
          filter: {
            standard: [{ $group: { _id: { Segment: '$Segment' }, total: { $sum: '$Lead Score' }, count } }, byCount],
          },
          calculatedColumns: [{ name: 'Average', expression: 'round({{total}} / {{count}}, 1)' }],
        }),
        cell(6, {
          type: 'Pivot',
          title: 'Segment by country',
          filter: { standard: [{ $group: { _id: { Segment: '$Segment', Country: '$Country' }, count } }] },
        }),
      ],
      [
        cell(12, {
          type: 'PaginaTable',
          title: 'Contacts',
          filter: {
            standard: [],
            columns: ['First Name', 'Last Name', 'Email', 'Segment', 'Lead Score'],
            sort: { 'Lead Score': -1 },
          },
        }),
      ],
    ],
  }),
}

const followsDates = { options: { colors: ['#3560c4'], template: 'master-date-range' } }

const behaviour: DemoDashboard = {
  name: 'Behavior',
  tags: ['event', 'page'],
  definition: JSON.stringify({
    layout: [
      [
        cell(4, { type: 'DatePicker', title: 'Dates', datePickerType: 'month', defaultId: '29', maxRange: 93 }),
        tile(4, 'Active contacts', [], followsDates),
        tile(4, 'Events', [events], followsDates),
      ],
      [
        chart(
          12,
          'Area',
          'Events by day of the week',
          [
            events,
            { $group: { _id: { Day: { $dayOfWeek: '$events.event_date' }, Event: '$events.event_code' }, count } },
          ],
          { isStacked: true },
        ),
      ],
      [
        chart(6, 'Bar', 'Most visited pages', [
          events,
          { $match: { 'events.event_path': { $ne: null } } },
          { $group: { _id: { Page: '$events.event_path' }, count } },
          ...largest(10),
        ]),
        chart(
          6,
          'Line',
          'Events by hour',
          [events, { $group: { _id: { Hour: { $hour: '$events.event_date' } }, count } }],
          { curveType: 'function', legend: { position: 'none' } },
        ),
      ],
      [
        chart(
          6,
          'Combo',
          'Browsers',
          [
            events,
            { $group: { _id: { Browser: '$events.browser' }, Events: count, Applications: differentApplications } },
          ],
          { series: { 1: { type: 'line', targetAxisIndex: 1 } } },
        ),
        cell(6, {
          type: 'Table',
          title: 'Events by application',
          filter: { standard: [events, { $group: { _id: { Application: '$events.app_code' }, count } }, byCount] },
        }),
      ],
    ],
  }),
}

/** The dashboards of every account of the demo. */
export const demoDashboards: readonly DemoDashboard[] = [overview, behaviour]
