import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import type { Field } from '@portico/contract/contacts'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { describe, expect, test } from 'vitest'
import { filterFields, readFilter, stagesOf } from '#domain/filters'
import type { AccountData } from '../adding/account-data.ts'
import { suggestionsFor } from '../adding/suggestions.ts'
import { readFigure, withFigure } from '../configuration/kpi-figure.ts'
import { definitionOf, startNames } from './templates.ts'

const field = (name: string, type: Field['type'] = 'string'): Field => ({ name, type, isIndexed: false })

const fields: Field[] = [
  field('Email'),
  field('City'),
  field('State'),
  field('Country'),
  field('Segment'),
  field('2019'),
  field('Lead Score', 'number'),
  field('Lifetime Value', 'number'),
  field('Birth Date', 'day'),
  field('Last Purchase', 'date'),
  field('Opted In', 'boolean'),
]

const everything: AccountData = {
  hasContacts: true,
  hasPurls: true,
  country: 'Country',
  state: 'State',
  isOfStates: false,
  city: 'City',
  categories: [
    { name: 'Segment', values: 4 },
    { name: '2019', values: 12 },
  ],
  flags: ['Opted In'],
  numbers: ['Lifetime Value', 'Lead Score'],
  dates: [
    { name: 'Last Purchase', isBirthday: false },
    { name: 'Birth Date', isBirthday: true },
  ],
  columns: ['Email', 'City'],
  events: { hasKinds: true, hasPages: true, hasBrowsers: true, hasResponses: true },
}

const accounts: [string, AccountData][] = [
  ['with everything', everything],
  ['of one country', { ...everything, isOfStates: true, country: null }],
  ['with birthdays and ratings only', { ...everything, numbers: ['Lead Score'], dates: everything.dates.slice(1) }],
  ['with a single category', { ...everything, categories: [{ name: '2019', values: 3 }], state: null }],
]

const cells = accounts.flatMap(([account, data]) =>
  [
    ...suggestionsFor(data, []),
    ...startNames.flatMap((start) => definitionOf(start, data).layout.flatMap((row) => row.map(({ chart }) => chart))),
  ].flatMap((chart) => (chart ? [[`${chart.type} “${chart.title}” of an account ${account}`, chart] as const] : [])),
)

/** The stages that each builder of a cell opens. */
const openedBy = ({ type, filter, filter2 }: CellChart) =>
  [filter, filter2].flatMap((one) => (one ? [type === 'KPI' ? readFigure(one.standard).which : one.standard] : []))

describe('cells that are ready to use can be changed in the builder', () => {
  test.each(cells)('%s', (_name, chart) => {
    for (const stages of openedBy(chart)) {
      const filter = readFilter(parsePipeline(stages), filterFields(fields))
      expect(filter.advanced).toBeNull()
      const changed = { ...filter, standard: filter.standard.slice(1) }
      expect(readFilter(stagesOf(changed), filterFields(fields))).toEqual(changed)
    }
  })

  test('a tile keeps its figure when its filter is changed', () => {
    const tiles = cells.map(([, chart]) => chart).filter(({ type }) => type === 'KPI')
    expect(tiles.length).toBeGreaterThan(3)
    for (const { filter } of tiles) {
      const standard = filter?.standard ?? []
      const { figure, which } = readFigure(standard)
      expect(writePipeline(parsePipeline(withFigure(which, figure)))).toEqual(writePipeline(parsePipeline(standard)))
    }
  })
})
