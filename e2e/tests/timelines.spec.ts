import { expectAccessible } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { cellOf, colors, makeDashboard } from '../dashboards.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, snackbar } from '../screens.ts'

// Groups by month across two years: an axis in order of time, and periods that open their contacts.

let account: Account
let nora: Person
let api: Client

const members = `Name,Joined,Score
Ada,2025-11-30,10
Bruno,2025-11-02,20
Carmen,2026-02-01,30
Dmitri,2026-02-28,40
Edda,2026-03-01,50
Fay,,60
`
const byMonth = { $dateTrunc: { date: '$Joined', unit: 'month' } }

test.beforeAll(async () => {
  account = await makeAccount('Timberline')
  nora = await makePerson('Nora', { accounts: [account] })
  api = await apiOf(nora, account)
  await api.importFile('Members', members, { typeCasting: true })
})

test('a search is grouped by month across years, and a month opens its contacts', async ({ page }) => {
  await signIn(page, nora, undefined, '/contact-service/documents')
  await page.getByRole('button', { name: /^FILTERS/ }).click()
  const builder = page.getByRole('region', { name: 'Filter builder' })
  await builder.getByRole('tab', { name: 'Groupby' }).click()
  await choose(page, builder.getByRole('combobox', { name: 'Group by', exact: true }), 'Joined')
  const part = builder.getByRole('combobox', { name: 'Group by: part of the date' })
  await expect(part).toHaveValue('Month')
  await part.click()
  await expect(page.getByRole('option', { name: 'Month of the year (all years together)' })).toBeVisible()
  await expect(page.getByRole('listbox').getByRole('option').first()).toHaveText('Day')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await choose(page, builder.getByRole('combobox', { name: 'Operator', exact: true }), 'count')
  await builder.getByRole('button', { name: 'Apply', exact: true }).click()
  const chart = page.getByRole('figure', { name: 'Column chart of count by Joined by month' })
  // A place for each month, also for those that no one joined in; no value stands apart.
  for (const month of ['Nov 2025', 'Dec 2025', 'Jan 2026', 'Feb 2026', 'Mar 2026', '(no value)'])
    await expect(chart.locator('svg').getByText(month)).toBeVisible()
  await expect(page.getByRole('row', { name: /^Nov 2025/ })).toContainText('2')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Feb 2026' }).click()
  await expect(page.getByText('2 contacts found')).toBeVisible()
  const sentence = 'Contacts whose Joined is on or after 2/1/2026 and Joined is on or before 2/28/2026.'
  await expect(page.getByText(sentence).first()).toBeVisible()
})

test('a chart that names its columns is given another value in the builder', async ({ page }) => {
  const standard = [
    { $group: { _id: { Month: byMonth }, Members: { $count: {} } } },
    { $sort: { Month: 1 } },
    { $limit: 300 },
  ]
  const { _id: id } = await makeDashboard(api, account, 'Values', [
    [
      {
        id: 'months',
        cols: 12,
        chart: { type: 'Column', title: 'Members', filter: { standard }, options: { colors } },
      },
    ],
  ])
  await signIn(page, nora, undefined, `/contact-service/dashboards?dashboard=${id}`)
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await page.getByRole('button', { name: 'Configure Members' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('button', { name: 'Edit filter' }).click()
  const builder = page.getByRole('region', { name: 'Filter builder' })
  await expect(builder.getByRole('textbox', { name: 'Name of the value' })).toHaveValue('Members')
  await builder.getByRole('button', { name: 'Add value' }).click()
  await choose(page, builder.getByRole('combobox', { name: 'Operator of value 2' }), 'avg')
  await choose(page, builder.getByRole('combobox', { name: 'Column of value 2' }), 'Score')
  await builder.getByRole('textbox', { name: 'Name of value 2' }).fill('Average score')
  await expectAccessible(page)
  await builder.getByRole('button', { name: 'Apply', exact: true }).click()
  await configuration.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await dialogOf(page, 'Update Dashboard').getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, "'Values' was successfully saved.")).toBeVisible()
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  const chart = cellOf(page, 'Members')
  await chart.getByRole('button', { name: 'Show as table' }).click()
  await expect(chart.getByRole('columnheader', { name: 'Average score' })).toBeVisible()
  await expect(chart.getByRole('row', { name: /^Nov 2025/ })).toContainText('15')
})

test('a month of a dashboard narrows the other cells', async ({ page }) => {
  const filter = { standard: [{ $group: { _id: { 'Joined by month': byMonth }, count: { $count: {} } } }] }
  const people = { standard: [], columns: ['Name'], sort: { Name: 1 } }
  const { _id: id } = await makeDashboard(api, account, 'In time', [
    [
      { id: 'months', cols: 6, chart: { type: 'Line', title: 'Joined', filter, options: { colors } } },
      { id: 'people', cols: 6, chart: { type: 'PaginaTable', title: 'People', filter: people, options: { colors } } },
    ],
  ])
  await signIn(page, nora, undefined, `/contact-service/dashboards?dashboard=${id}`)
  const months = cellOf(page, 'Joined')
  for (const month of ['Nov 2025', 'Jan 2026', 'Mar 2026', '(no value)'])
    await expect(months.locator('svg').getByText(month)).toBeVisible()
  await months.getByRole('button', { name: 'Show as table' }).click()
  await months.getByRole('button', { name: 'Nov 2025' }).click()
  const list = cellOf(page, 'People')
  await expect(list.getByRole('row')).toHaveCount(3)
  await expect(list.getByRole('row', { name: /Ada/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Active filters' })).toContainText('Joined: Nov 2025')
  await expectAccessible(page)
})
