import type { Query } from './ask.ts'
import type { SearchData } from './search-data.ts'

/** A search of the portal, and hand-written SQL for the same. */
export type Search = {
  work: string
  /** Query of `/contact-service/v1/offers`. */
  ask: Query
  /** Statements with the same result: the last one returns the rows, an earlier one the count. */
  sql: string[]
  duck?: string[]
  target?: { ratio: number; plus?: number }
  /** Number of rounds: more for fast searches. */
  rounds: number
}

const pageSize = 25
const indexed = { ratio: 1.2, plus: 3 }
const grouped = { ratio: 1.2 }

/** Returns the searches of the product targets, and other common ones. */
export function searchesOf(data: SearchData, known: { base: string; email: string }): Search[] {
  return [...filtersOf(data, known), ...behaviourOf(data), ...fullTextOf(data), ...groupsOf(data)]
}

function filtersOf(data: SearchData, known: { base: string; email: string }): Search[] {
  const { contacts, keys, column } = data
  const [email, age, score, active] = [column('Email'), column('Age'), column('Score'), column('Active')]
  const both = (match: object, where: string, from = contacts) => countAndPage({ match, where, from })
  const domain = `${known.email.slice(0, 8)}`
  return [
    {
      work: 'by PURL (indexed)',
      ...both({ basePurl: known.base }, `base_purl = '${known.base}'`, `${contacts} JOIN ${keys} USING (id)`),
      target: indexed,
      rounds: 300,
    },
    {
      work: 'by email (indexed)',
      ...both({ Email: known.email }, `${email} = '${known.email}'`),
      target: indexed,
      rounds: 300,
    },
    {
      work: 'email begins with (indexed)',
      ...both({ Email: { $regex: `^${domain.replaceAll('.', '\\.')}` } }, `${email} LIKE '${domain}%'`),
      target: indexed,
      rounds: 300,
    },
    {
      work: 'number in a range of 1 % (indexed)',
      ...both({ Score: { $gte: 50, $lt: 51 } }, `${score} >= 50 AND ${score} < 51`),
      target: indexed,
      rounds: 100,
    },
    {
      work: 'two numbers (no index)',
      ...both({ Age: { $gt: 80 }, Active: true }, `${age} > 80 AND ${active}`),
      rounds: 10,
    },
    {
      work: 'text contains (no index)',
      ...both({ Email: { $regex: 'bert\\.99' } }, `${email} LIKE '%bert.99%'`),
      rounds: 10,
    },
    {
      work: 'text contains, any case (no index)',
      ...both({ Email: { $regex: 'BERT\\.99', $options: 'i' } }, `${email} ILIKE '%BERT.99%'`),
      rounds: 10,
    },
    {
      work: 'everything, sorted by a number (no index)',
      ask: { find: [], sort: { 'Lifetime Value': -1 }, limit: pageSize },
      sql: [`SELECT * FROM ${contacts} ORDER BY ${column('Lifetime Value')} DESC NULLS LAST, id LIMIT ${pageSize}`],
      rounds: 10,
    },
  ]
}

function behaviourOf({ contacts, keys, events }: SearchData): Search[] {
  return [
    {
      work: 'behaviour: bought within ten days',
      ...countAndPage({
        match: {
          events: {
            $elemMatch: {
              event_code: 'purchase',
              event_date: { $gte: '2025-03-01T00:00:00Z', $lt: '2025-03-11T00:00:00Z' },
            },
          },
        },
        where: `id IN (SELECT contact_id FROM ${events} WHERE event_code = 'purchase'
          AND event_date >= '2025-03-01T00:00:00Z' AND event_date < '2025-03-11T00:00:00Z')`,
        from: contacts,
      }),
      rounds: 10,
    },
    {
      work: 'location: within 50 miles (indexed)',
      ...countAndPage({
        match: { location: { $geoWithin: { $centerSphere: [[8.54, 47.37], 50 / 3963.2] } } },
        where: `latitude >= 46.6471 AND latitude <= 48.0929 AND longitude >= 7.4726 AND longitude <= 9.6074
          AND 2 * asin(least(1, sqrt(power(sin(radians(latitude - 47.37) / 2), 2) + cos(radians(47.37))
            * cos(radians(latitude)) * power(sin(radians(longitude - 8.54) / 2), 2)))) <= 50 / 3963.2`,
        from: `${contacts} JOIN ${keys} USING (id)`,
      }),
      target: indexed,
      rounds: 100,
    },
  ]
}

function fullTextOf({ contacts, words, column }: SearchData): Search[] {
  if (words === null) return []
  const texts = (name: string) => `coalesce(${column(name)}, '')`
  return [
    {
      work: 'full text: one word (indexed)',
      ...countAndPage({
        match: { $text: { $search: 'fischkopf' } },
        where: `words @@ to_tsquery('simple', 'fischkopf:*')`,
        from: `${contacts} JOIN ${words} USING (id)`,
        order: `(words @@ to_tsquery('simple', 'fischkopf'))::int DESC, id`,
        duck: {
          where: `concat_ws(' ', ${['Last Name', 'Company', 'Email', 'Notes'].map(texts).join()}) ILIKE '%fischkopf%'`,
          from: contacts,
        },
      }),
      target: indexed,
      rounds: 30,
    },
  ]
}

function groupsOf({ contacts, events, column }: SearchData): Search[] {
  const [city, state, score, joined] = [column('City'), column('State'), column('Score'), column('Joined')]
  const group = (work: string, stages: object[], sql: string): Search => ({
    work,
    ask: { aggregate: stages, limit: 1000 },
    sql: [sql],
    target: grouped,
    rounds: 10,
  })
  return [
    group(
      'group: one level',
      [{ $group: { _id: '$City', contacts: { $sum: 1 } } }],
      `SELECT ${city}, count(*) FROM ${contacts} GROUP BY 1 ORDER BY 1 LIMIT 1000`,
    ),
    group(
      'group: two levels, average',
      [{ $group: { _id: { State: '$State', City: '$City' }, contacts: { $sum: 1 }, score: { $avg: '$Score' } } }],
      `SELECT ${state}, ${city}, count(*), avg(${score}) FROM ${contacts} GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 1000`,
    ),
    group(
      'group: years and months of a date',
      [{ $group: { _id: { year: { $year: '$Joined' }, month: { $month: '$Joined' } }, contacts: { $sum: 1 } } }],
      `SELECT extract(year FROM ${joined}), extract(month FROM ${joined}), count(*)
        FROM ${contacts} GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 1000`,
    ),
    {
      ...group(
        'group: all events by code',
        [{ $unwind: '$events' }, { $group: { _id: '$events.event_code', events: { $sum: 1 } } }],
        `SELECT event_code, count(*) FROM ${events} GROUP BY 1 ORDER BY 1 LIMIT 1000`,
      ),
      rounds: 5,
    },
  ]
}

type Filter = {
  match: object
  where: string
  from: string
  order?: string
  /** SQL for DuckDB where it differs. */
  duck?: { where: string; from: string }
}

/** The queries of the contacts screen: the count and the first page. */
function countAndPage({ match, where, from, order = 'id', duck }: Filter): Pick<Search, 'ask' | 'sql' | 'duck'> {
  const find = [{ $match: match }]
  const count = (source: string, condition: string) => `SELECT count(*) FROM ${source} WHERE ${condition}`
  const page = (source: string, condition: string, by: string) =>
    `SELECT * FROM ${source} WHERE ${condition} ORDER BY ${by} LIMIT ${pageSize}`
  return {
    ask: { find, limit: pageSize, withCount: '' },
    sql: [count(from, where), page(from, where, order)],
    ...(duck && { duck: [count(duck.from, duck.where), page(duck.from, duck.where, 'id')] }),
  }
}

/** The page after 100,000 contacts: `after` continues from a contact, `skip` counts rows. */
export const deepPage = { rows: 100_000, size: 100 }
