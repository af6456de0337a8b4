/** Colors of charts, and of the numbers in tiles. */
const colors = ['#3560c4', '#2fb5a0', '#f2a33a', '#a14754', '#553e7d', '#5a8cc3', '#5a6b00', '#f56a78']
const tileColors = ['#3560c4']

export type Stage = Record<string, unknown>

export const cell = (cols: number, chart: Record<string, unknown>) => ({ cols, chart })

/** A chart of groups. */
export const chart = (cols: number, type: string, title: string, standard: Stage[], options: object = {}) =>
  cell(cols, {
    type,
    title,
    filter: { standard },
    options: { colors, height: 260, legend: { position: 'top' }, ...options },
  })

/** A chart of one value by one key: a legend would only repeat its title. */
export const plain = { legend: { position: 'none' } }
export const aside = { legend: { position: 'right' } }

/** A tile with one number. */
export const tile = (cols: number, title: string, standard: Stage[], more: Record<string, unknown> = {}) =>
  cell(cols, { type: 'KPI', title, filter: { standard }, options: { colors: tileColors }, ...more })

/** A tile that uses another template than the first. */
export const byTemplate = (template: string) => ({ options: { colors: tileColors, template } })

/** A value computed over all contacts. */
export const figure = (spec: Stage): Stage[] => [{ $group: { _id: null, value: spec } }]

export const text = (cols: number, title: string, lines: readonly string[]) =>
  cell(cols, { type: 'Text', title, portico: { text: lines.join('\n') } })

export const count = { $count: {} }
export const events = { $unwind: '$events' }

/** Groups with their values, sorted by the first value, largest first. */
export function groups(keys: Stage, values: Stage, limit?: number): Stage[] {
  const [first = ''] = Object.keys(values)
  return [
    { $group: { _id: keys, ...values } },
    { $sort: { [first]: -1 } },
    ...(limit === undefined ? [] : [{ $limit: limit }]),
  ]
}
