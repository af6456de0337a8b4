import type { BusinessWords } from './business-words.ts'
import { aside, byTemplate, cell, chart, count, figure, groups, plain, text, tile } from './cells.ts'

/** Rows about the value of the contacts. */
export const businessRows = (words: BusinessWords) => {
  const { people, value, last, recent, total, average, best, lesson, currency, place } = words
  const sum = { $sum: `$${value}` }
  // Like averages, these rows leave out contacts without a value.
  const hasValue = { $match: { [value]: { $gte: 0 } } }
  const hasLast = { $match: { [last]: { $gte: '1900-01-01' } } }
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
    [text(12, 'What this tells us', lesson)],
    [
      chart(5, 'Pie', `${value} by segment`, groups({ Segment: '$Segment' }, { [value]: sum }), aside),
      chart(7, 'Bar', `${value} by city`, groups({ City: '$City' }, { [value]: sum }, 10), plain),
    ],
    [
      cell(6, {
        type: 'CalculatedTable',
        title: `${average}, by ${place.toLowerCase()}`,
        filter: { standard: [hasValue, ...groups({ [place]: `$${place}` }, { [people]: count, Total: sum })] },
        calculatedColumns: [
          { name: 'Average', expression: `round({{Total}} / {{${people}}})`, fix: `pre::${currency}` },
        ],
      }),
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
        { ...plain, height: 380 },
      ),
    ],
    [
      cell(12, {
        type: 'PaginaTable',
        title: best,
        filter: {
          standard: [],
          columns: ['First Name', 'Last Name', 'Email', 'City', 'Segment', value],
          sort: { [value]: -1 },
        },
      }),
    ],
  ]
}
