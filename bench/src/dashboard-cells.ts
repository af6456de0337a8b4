import type { SearchData } from './search-data.ts'

/** A cell of the measured dashboard, and hand-written SQL for what it shows: the first statement returns its rows. */
export type BenchCell = { id: string; chart: object; sql: string[] }

const options = { colors: ['#1971c2', '#f08c00'] }
const mostGroups = 2001

/** Twelve cells of all kinds that read contacts or events. Dropdowns choose ages. */
export function dashboardCells({ contacts, events, column }: SearchData): BenchCell[] {
  const [city, state, age, score, value, active] = [
    column('City'),
    column('State'),
    column('Age'),
    column('Score'),
    column('Lifetime Value'),
    column('Active'),
  ]
  const groups = (keys: string, values: string, from = contacts): string => {
    const places = keys.split(', ').map((_key, at) => at + 1)
    return `SELECT ${keys}, ${values} FROM ${from} GROUP BY ${places.join()} ORDER BY ${places.join()} LIMIT ${mostGroups}`
  }
  const cell = (id: string, type: string, standard: object[], sql: string[], more: object = {}): BenchCell => ({
    id,
    chart: { type, title: id, filter: { standard, ...filterOf(more) }, options, ...without(more) },
    sql,
  })
  const group = (keys: object, values: object = { n: { $count: {} } }): object[] => [
    { $group: { _id: keys, ...values } },
  ]
  const part = (name: string, field: string): string => `extract(${name} FROM ${field} AT TIME ZONE 'UTC')`
  const purchases = { events: { $elemMatch: { event_code: 'purchase' } } }
  const pages = { columns: ['First Name', 'Last Name', 'Email', 'City', 'Score'], sort: { 'Lifetime Value': -1 } }
  return [
    cell('bar', 'Bar', group({ City: '$City' }), [groups(city, 'count(*)')]),
    cell(
      'column',
      'Column',
      [{ $unwind: '$events' }, ...group({ Code: '$events.event_code' })],
      [groups('event_code', 'count(*)', events)],
    ),
    cell('combo', 'Combo', group({ State: '$State' }, { n: { $count: {} }, score: { $avg: '$Score' } }), [
      groups(state, `count(*), avg(${score})`),
    ]),
    cell('geo', 'Geo', group({ State: '$State' }), [groups(state, 'count(*)')]),
    cell('line', 'Line', group({ Y: { $year: '$Joined' }, M: { $month: '$Joined' } }), [
      groups(`${part('year', column('Joined'))}, ${part('month', column('Joined'))}`, 'count(*)'),
    ]),
    cell('pie', 'Pie', group({ Active: '$Active' }, { total: { $sum: '$Lifetime Value' } }), [
      groups(active, `sum(${value})`),
    ]),
    cell('table', 'Table', group({ Age: '$Age' }, { n: { $count: {} }, score: { $avg: '$Score' } }), [
      groups(age, `count(*), avg(${score})`),
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
    cell(
      'calculated',
      'CalculatedTable',
      group({ City: '$City' }, { total: { $sum: '$Lifetime Value' }, n: { $count: {} } }),
      [groups(city, `sum(${value}), count(*)`), `SELECT sum(${value}), count(*) FROM ${contacts}`],
      { calculatedColumns: [{ name: 'Each', expression: '{{total}} / {{n}}' }] },
    ),
    cell(
      'kpi',
      'KPI',
      [{ $match: purchases }],
      [`SELECT count(*) FROM ${contacts} WHERE id IN (SELECT contact_id FROM ${events} WHERE event_code = 'purchase')`],
    ),
    cell('ages', 'Dropdown', group({ Age: '$Age' }), [
      `SELECT ${age}, count(*) FROM ${contacts} GROUP BY 1 ORDER BY 1 LIMIT 50`,
      `SELECT count(*) FROM (SELECT 1 FROM ${contacts} GROUP BY ${age}) AS of`,
    ]),
    cell('pivot', 'Pivot', group({ State: '$State', Active: '$Active' }), [
      groups(`${state}, ${active}`, 'count(*)'),
      `SELECT count(*) FROM ${contacts}`,
      groups(state, 'count(*)'),
      groups(active, 'count(*)'),
    ]),
  ]
}

type More = { columns?: string[]; sort?: object; calculatedColumns?: object[] }

/** The parts that belong to the filter. */
const filterOf = ({ columns, sort }: More): object => ({ ...(columns && { columns }), ...(sort && { sort }) })
const without = ({ calculatedColumns }: More): object => ({ ...(calculatedColumns && { calculatedColumns }) })
