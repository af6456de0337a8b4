import type { Dashboard } from '@portico/contract/dashboards'
import type { Locator, Page } from '@playwright/test'
import type { Client } from './api.ts'
import type { Account } from './portal.ts'

export const members = `Name,City,Joined,Score
Ada,Denver,2026-01-31,10
Bruno,Denver,2026-02-01,20
Carmen,Boulder,2026-02-02,30
Dmitri,Lisbon,2026-02-03,40
`

export const colors = ['#3560c4']
export const byCity = {
  standard: [{ $group: { _id: { City: '$City' }, count: { $count: {} } } }, { $sort: { count: -1 } }],
}

/** A chart of the members' cities, with their number next to it. */
export const citiesAndMembers = [
  { id: 'cities', cols: 6, chart: { type: 'Bar', title: 'Cities', filter: byCity, options: { colors } } },
  { id: 'members', cols: 6, chart: { type: 'KPI', title: 'Members', filter: { standard: [] }, options: { colors } } },
]

/** Creates a dashboard that all users of the account see. */
export const makeDashboard = (
  api: Client,
  account: Account,
  name: string,
  layout: object[] = [citiesAndMembers],
): Promise<Dashboard> =>
  api.post('/contact-service/v1/dashboards', {
    name,
    tags: ['event'],
    sharedWith: { paids: 'all', aids: [account.id], users: 'all' },
    definition: JSON.stringify({ layout }),
  })

export const cellOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

/** Moves to the bar of a city with the keyboard and chooses it. */
export async function chooseBar(page: Page, presses: number): Promise<void> {
  const chart = cellOf(page, 'Cities').getByRole('application', { name: /^Cities/ })
  await chart.focus()
  for (let press = 0; press < presses; press++) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
}
