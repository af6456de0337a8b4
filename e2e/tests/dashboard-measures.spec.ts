import { expectAccessible } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { byCity, cellOf, colors, makeDashboard, members } from '../dashboards.ts'
import { expectPresentable } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, snackbar } from '../screens.ts'

let account: Account
let ines: Person
let api: Client

test.beforeAll(async () => {
  account = await makeAccount('Pagosa Springs')
  ines = await makePerson('Ines', { accounts: [account] })
  api = await apiOf(ines, account)
  await api.importFile('Members', members, { typeCasting: true })
})

test('a chart gets a value with a condition, its ratio and a goal line by clicks, and is saved', async ({ page }) => {
  const chart = { type: 'Column', title: 'Scores', filter: byCity, options: { colors } }
  const { _id: id } = await makeDashboard(api, account, 'Measures', [[{ id: 'only', cols: 12, chart }]])
  await signIn(page, ines, undefined, `/contact-service/dashboards?dashboard=${id}`)
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await page.getByRole('button', { name: 'Configure Scores' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('button', { name: 'Edit filter' }).click()
  const filter = page.getByRole('region', { name: 'Filter builder' })
  await filter.getByRole('tab', { name: 'Groupby' }).click()
  await filter.getByRole('button', { name: 'Add value' }).click()
  await choose(page, filter.getByRole('combobox', { name: 'Operator of value 2' }), 'count')
  await filter.getByRole('button', { name: 'Add condition to value 2' }).click()
  await choose(page, filter.getByRole('combobox', { name: 'Field of condition 1 of value 2' }), 'Score')
  await choose(page, filter.getByRole('combobox', { name: 'Operator of condition 1 of value 2' }), '>=')
  await filter.getByRole('textbox', { name: 'Value of condition 1 of value 2' }).fill('20')
  await filter.getByRole('button', { name: 'Divide by another value: value 2' }).click()
  await choose(page, filter.getByRole('combobox', { name: 'Operator of the divisor of value 2' }), 'count')
  await filter.getByRole('textbox', { name: 'Name of value 2' }).fill('Share of 20 and more')
  await expectPresentable(page)
  await filter.getByRole('button', { name: 'Apply', exact: true }).click()

  await configuration.getByRole('button', { name: 'Edit formats' }).click()
  const formats = dialogOf(page, 'Formats')
  await formats.getByRole('switch', { name: 'Goal line' }).press('Space')
  await formats.getByRole('textbox', { name: 'Goal', exact: true }).fill('4')
  await formats.getByRole('textbox', { name: 'Label of the goal' }).fill('Target')
  await expect(formats.locator('svg').getByText('Target: 4')).toBeVisible()
  await expectPresentable(page)
  await formats.getByRole('button', { name: 'Save' }).click()
  await configuration.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await dialogOf(page, 'Update Dashboard').getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, "'Measures' was successfully saved.")).toBeVisible()
  await page.reload()
  const cell = cellOf(page, 'Scores')
  await expect(cell.getByRole('application', { name: 'Scores: chart of 3 groups, Target: 4' })).toBeVisible()
  await expect(cell.locator('svg').getByText('Target: 4')).toBeVisible()
  await expectAccessible(page)
  await cell.getByRole('button', { name: 'Show as table' }).click()
  await expect(cell.getByRole('row', { name: 'Denver 2 50%' })).toBeVisible()
})
