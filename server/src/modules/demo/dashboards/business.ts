import type { BusinessWords } from './business-words.ts'
import { aside, byTemplate, cell, chart, count, figure, groups, plain, text, tile } from './cells.ts'

/** What the contacts are worth. */
export const businessRows = (words: BusinessWords) => {
  const { people, value, last, recent, total, average, best, lesson, currency, place } = words
  const sum = { $sum: `$${value}` }
  const hasLast = { $match: { $and: [{ [last]: { $gte: '1900-01-01' } }] } }
  return [
    [
      tile(4, recent, [], {
        ...byTemplate('internal-date-range'),
        maxRange: 93,
        portico: { dateField: last },
      }),
      tile(4, `${total} (${currency})`, figure(sum)),
      tile(4, `${average} (${currency})`, figure({ $avg: `$${value}` })),
    ],
    [
      chart(5, 'Pie', `${value} by segment`, groups({ Segment: '$Segment' }, { [value]: sum }), aside),
      text(7, 'What this tells us', lesson),
    ],
    [
      chart(6, 'Bar', `${value} by city`, groups({ City: '$City' }, { [value]: sum }, 10), plain),
      chart(
        6,
        'Column',
        `${people} by year of ${last.toLowerCase()}`,
        [
          hasLast,
          { $group: { _id: { Year: { $year: `$${last}` } }, [people]: count } },
          { $sort: { Year: 1 } },
          { $limit: 10 },
        ],
        plain,
      ),
    ],
    [
      cell(6, {
        type: 'CalculatedTable',
        title: `${average}, by ${place.toLowerCase()}`,
        filter: { standard: groups({ [place]: `$${place}` }, { [people]: count, Total: sum }) },
        calculatedColumns: [
          { name: 'Average', expression: `round({{Total}} / {{${people}}}, 2)`, fix: `pre::${currency}` },
        ],
      }),
      cell(6, {
        type: 'PaginaTable',
        title: best,
        filter: { standard: [], columns: ['First Name', 'Last Name', 'Segment', value], sort: { [value]: -1 } },
      }),
    ],
  ]
}
