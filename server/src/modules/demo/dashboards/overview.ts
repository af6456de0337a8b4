import type { BusinessWords } from './business-words.ts'
import { byTemplate, cell, chart, count, figure, groups, plain, text, tile } from './cells.ts'

/** Rows about the contacts themselves. */
export const overviewRows = ({ people, place, map }: BusinessWords) => [
  [
    tile(4, people, []),
    tile(4, 'Average lead score', figure({ $avg: '$Lead Score' })),
    tile(4, 'Opted in', [{ $match: { 'Opted In': true } }], {
      filter2: { standard: [] },
      ...byTemplate('ratio-with-master-date-range'),
    }),
  ],
  [
    cell(4, {
      type: 'Dropdown',
      title: 'Segments',
      multipleSelect: true,
      filter: { standard: groups({ Segment: '$Segment' }, { count }) },
    }),
    cell(4, {
      type: 'Dropdown',
      title: place,
      filter: { standard: groups({ [place]: `$${place}` }, { count }) },
    }),
    text(4, 'How to read this', [
      '**Click anything.** Choose a bar or a place on the map, and every other tile follows. Click it again to clear it.',
    ]),
  ],
  [
    chart(7, 'Geo', `${people} by ${place.toLowerCase()}`, groups({ [place]: `$${place}` }, { [people]: count }), {
      ...map,
      height: 320,
    }),
    chart(5, 'Bar', `${people} by segment`, groups({ Segment: '$Segment' }, { [people]: count }), {
      ...plain,
      height: 320,
    }),
  ],
  ...tableRows(people),
]

const tableRows = (people: string) => [
  [
    cell(6, {
      type: 'CalculatedTable',
      title: 'Lead score by segment',
      filter: {
        // Only contacts with a score, like the average in the tile.
        standard: [
          { $match: { 'Lead Score': { $gte: 0 } } },
          ...groups({ Segment: '$Segment' }, { [people]: count, 'Total score': { $sum: '$Lead Score' } }),
        ],
      },
      calculatedColumns: [{ name: 'Average', expression: `round({{Total score}} / {{${people}}}, 1)` }],
    }),
    cell(6, {
      type: 'Pivot',
      title: 'Consent by segment',
      filter: { standard: groups({ Segment: '$Segment', 'Opted In': '$Opted In' }, { [people]: count }) },
    }),
  ],
  [
    cell(12, {
      type: 'PaginaTable',
      title: 'Hottest leads',
      filter: {
        standard: [],
        columns: ['First Name', 'Last Name', 'Email', 'City', 'Segment', 'Lead Score'],
        sort: { 'Lead Score': -1 },
      },
    }),
  ],
]
