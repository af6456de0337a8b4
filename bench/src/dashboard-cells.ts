import type { SearchData } from './search-data.ts'

/** A cell of the measured dashboard, and hand-written SQL for its content: the first statement returns its rows. */
export type BenchCell = { id: string; chart: object; sql: string[] }

const options = { colors: ['#1971c2', '#f08c00'] }
const mostGroups = 2001

/** Returns twelve cells of all kinds that read contacts or events. The dropdown `ages` narrows the others. */
export function dashboardCells(data: SearchData): BenchCell[] {
  return [...chartsOf(data), ...tablesOf(data), ...othersOf(data)]
}

type More = { columns?: string[]; sort?: object; calculatedColumns?: object[] }

function cell(id: string, type: string, standard: object[], sql: string[], more: More = {}): BenchCell {
  const { columns, sort, calculatedColumns } = more
  const filter = { standard, ...(columns && { columns }), ...(sort && { sort }) }
  return { id, chart: { type, title: id, filter, options, ...(calculatedColumns && { calculatedColumns }) }, sql }
}

const group = (keys: object, values: object = { n: { $count: {} } }): object[] => [{ $group: { _id: keys, ...values } }]

function groups(keys: readonly string[], values: string, from: string): string {
  const places = keys.map((_key, at) => at + 1).join()
  return `SELECT ${keys.join()}, ${values} FROM ${from} GROUP BY ${places} ORDER BY ${places} LIMIT ${mostGroups}`
}

function chartsOf({ contacts, events, column }: SearchData): BenchCell[] {
  const [city, state, score, value, active] = [
    column('City'),
    column('State'),
    column('Score'),
    column('Lifetime Value'),
    column('Active'),
  ]
  const part = (name: string): string => `extract(${name} FROM ${column('Joined')})`
  return [
    cell('bar', 'Bar', group({ City: '$City' }), [groups([city], 'count(*)', contacts)]),
    cell(
      'column',
      'Column',
      [{ $unwind: '$events' }, ...group({ Code: '$events.event_code' })],
      [groups(['event_code'], 'count(*)', events)],
    ),
    cell('combo', 'Combo', group({ State: '$State' }, { n: { $count: {} }, score: { $avg: '$Score' } }), [
      groups([state], `count(*), avg(${score})`, contacts),
    ]),
    cell('geo', 'Geo', group({ State: '$State' }), [groups([state], 'count(*)', contacts)]),
    cell('line', 'Line', group({ Y: { $year: '$Joined' }, M: { $month: '$Joined' } }), [
      groups([part('year'), part('month')], 'count(*)', contacts),
    ]),
    cell('pie', 'Pie', group({ Active: '$Active' }, { total: { $sum: '$Lifetime Value' } }), [
      groups([active], `sum(${value})`, contacts),
    ]),
  ]
}

function tablesOf({ contacts, column }: SearchData): BenchCell[] {
  const [value, active, state] = [column('Lifetime Value'), column('Active'), column('State')]
  const pages = { columns: ['First Name', 'Last Name', 'Email', 'City', 'Score'], sort: { 'Lifetime Value': -1 } }
  const calculated = { total: { $sum: '$Lifetime Value' }, n: { $count: {} } }
  return [
    cell('table', 'Table', group({ Age: '$Age' }, { n: { $count: {} }, score: { $avg: '$Score' } }), [
      groups([column('Age')], `count(*), avg(${column('Score')})`, contacts),
    ]),
    cell(
      'paged',
      'PaginaTable',
      [{ $match: { Active: true } }],
      [
        `SELECT id, ${pages.columns.map(column).join()} FROM ${contacts} WHERE ${active}
          ORDER BY ${value} DESC NULLS LAST, id LIMIT 5`,
        `SELECT count(*) FROM ${contacts} WHERE ${active}`,
      ],
      pages,
    ),
    // The portal adds up totals of sums and counts; only those by the second key of a pivot table are queried.
    cell(
      'calculated',
      'CalculatedTable',
      group({ City: '$City' }, calculated),
      [groups([column('City')], `sum(${value}), count(*)`, contacts)],
      { calculatedColumns: [{ name: 'Each', expression: '{{total}} / {{n}}' }] },
    ),
    cell('pivot', 'Pivot', group({ State: '$State', Active: '$Active' }), [
      groups([state, active], 'count(*)', contacts),
      groups([active], 'count(*)', contacts),
    ]),
  ]
}

function othersOf({ contacts, events, column }: SearchData): BenchCell[] {
  const age = column('Age')
  return [
    cell(
      'kpi',
      'KPI',
      [{ $match: { events: { $elemMatch: { event_code: 'purchase' } } } }],
      [`SELECT count(*) FROM ${contacts} WHERE id IN (SELECT contact_id FROM ${events} WHERE event_code = 'purchase')`],
    ),
    cell('ages', 'Dropdown', group({ Age: '$Age' }), [
      `SELECT ${age}, count(*) FROM ${contacts} GROUP BY 1 ORDER BY 1 LIMIT 50`,
      `SELECT count(*) FROM (SELECT 1 FROM ${contacts} GROUP BY ${age}) AS of`,
    ]),
  ]
}
