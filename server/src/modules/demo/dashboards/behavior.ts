import { aside, byTemplate, cell, chart, count, events, groups, plain, tile } from './cells.ts'

const followsDates = byTemplate('master-date-range')
const visited = { $match: { 'events.event_path': { $ne: null } } }

/** Sources of the events. */
const sourcesRow = [
  chart(
    6,
    'Combo',
    'Events and contacts by browser',
    [events, ...groups({ Browser: '$events.browser' }, { Events: count, Contacts: { $size: { $addToSet: '$_id' } } })],
    { series: { 1: { type: 'line' } } },
  ),
  cell(6, {
    type: 'Table',
    title: 'Events by channel',
    filter: {
      standard: [
        events,
        ...groups(
          { Channel: '$events.app_code', Event: '$events.event_code' },
          { Events: count, Contacts: { $size: { $addToSet: '$_id' } } },
        ),
      ],
    },
  }),
]

/** Rows about the behavior of the contacts. */
export const behaviorRows = () => [
  [
    cell(4, { type: 'DatePicker', title: 'Dates', datePickerType: 'month', defaultId: '29', maxRange: 93 }),
    tile(4, 'Active contacts', [], followsDates),
    tile(4, 'Events', [events], followsDates),
  ],
  [
    chart(
      7,
      'Area',
      'Events by day of the week',
      [events, { $group: { _id: { Day: { $dayOfWeek: '$events.event_date' }, Event: '$events.event_code' }, count } }],
      { isStacked: true },
    ),
    chart(5, 'Pie', 'Events by kind', [events, ...groups({ Event: '$events.event_code' }, { Events: count })], {
      ...aside,
      pieHole: 0.4,
      pieSliceText: 'none',
    }),
  ],
  [
    chart(
      6,
      'Bar',
      'Most visited pages',
      [events, visited, ...groups({ Page: '$events.event_path' }, { Visits: count }, 10)],
      plain,
    ),
    chart(
      6,
      'Line',
      'Events by hour',
      [events, { $group: { _id: { Hour: { $hour: '$events.event_date' } }, Events: count } }],
      { ...plain, curveType: 'function' },
    ),
  ],
  sourcesRow,
]
